"""Every operator in the tables gives through TVM what it gives in PyTorch, or is refused."""

from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from dycl.backends import Backend
from dycl.capture import CapturedSubDnn
from dycl.testing.calls import calls_of, compile_alone
from dycl.testing.subdnns import capture_function, capture_lines
from rewriter.diagnostics import CompileError
from tests.dycl.operator_corners import CORNERS, RAISING
from tests.dycl.operator_layers import LAYERS
from tests.dycl.operator_operands import DIVIDENDS, SPECIAL
from tests.dycl.operator_table import TABLES, Cases, OperatorCase
from tests.dycl.test_operators import difference

pytest.importorskip("tvm_ffi")

# eager PyTorch warns about some of the corners
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")

REFUSED = {
    "power of integers",
    "bilinear antialias",
    "median",
    "median with its dimension kept",
    "median of all",
    "median of finite numbers",
    "median of integers",
    "kth value",
    "kth value with its dimension kept",
    "running logs of sums",
}
"""Cases of the tables that TVM does not take."""

REFUSED_IN_PART = {
    "gamma functions",
    "slopes of digamma",
    "inverse error function",
    "Bessel functions",
    "powers of one element",
    "integers and fractions",
}
"""Cases of several results, some of which TVM does not take."""


def _case(name: str, function: object, *inputs: torch.Tensor) -> OperatorCase:
    return OperatorCase(name=name, function=function, inputs=inputs)  # type: ignore[arg-type]


ALGEBRA: Cases = (
    _case(
        "comparisons with itself",
        lambda x: (x == x, x != x, x <= x, x >= x, x < x, ~(x > 0), (x < 0) | (x >= 0)),
        SPECIAL,
    ),
    _case(
        "identities of real numbers",
        lambda x: (x - x, x / x, x * 0, x * 0.0, 0 / x, x + 0.0, x * 1.0 - x),
        SPECIAL,
    ),
    _case(
        "zeros made elsewhere",
        lambda x: (x * torch.zeros(11), x * torch.zeros_like(x), x.clamp(min=0) * 0),
        SPECIAL,
    ),
    _case("signs of zeros", lambda x: (1 / (x * -1), 1 / (-x), 1 / (x + 0.0)), SPECIAL),
    _case("choices by comparison", lambda x: torch.where(~(x > 0), 1.0, x), SPECIAL),
    _case("one storage", lambda x: (x.view(-1), x, x[2:5], x.reshape(11, 1)), SPECIAL),
    _case(
        "functions without vector code", lambda x: (x.sinh(), x.cosh()), torch.linspace(-2, 2, 64)
    ),
    _case(
        "products into functions without vector code",
        lambda x: (x @ torch.full((16, 32), 0.1)).sinh(),
        torch.linspace(-1, 1, 64).view(4, 16),
    ),
    _case(
        "interpolation between infinities",
        lambda x: F.interpolate(x, scale_factor=2.0, mode="bilinear"),
        torch.tensor([1.0, float("inf"), float("inf"), -float("inf"), 3e38, -3e38]).view(
            1, 1, 2, 3
        ),
    ),
    _case(
        "choices among no rows",
        lambda x: (x.amax(1), x.argmin(1), *x.max(1), x.log_softmax(1), x.topk(2).values),
        torch.zeros(0, 3),
    ),
    _case("integers", lambda x: (x * 0, x - x, ~(x > 0), x // 1, x % 1, x > x), DIVIDENDS),
)
"""What a simplifier of formulas over real numbers gets wrong."""

SIGNED = torch.tensor([0.0, -0.0, 1.5, -2.5, float("inf"), -float("inf"), float("nan")])

OWN: Cases = (
    _case(
        "copied signs",
        lambda x, y: (torch.copysign(x, y), torch.copysign(x, -2)),
        *torch.cartesian_prod(SIGNED[:-1], SIGNED[:-1]).unbind(1),
    ),
    _case(
        "shifts",
        lambda x, y: (x >> 2, x << 3, x >> y, x << y, x >> 70, x << 64),
        torch.tensor([-7, 3, 2**40, -(2**63), 2**62, -1]),
        torch.tensor([1, 0, 63, 64, -1, 5]),
    ),
    _case(
        "shifts of bytes",
        lambda x: (x >> 1, x << 1, x >> 9),
        torch.tensor([1, 127, 128, 255], dtype=torch.uint8),
    ),
    _case(
        "mean and deviation whose squares leave single precision",
        lambda x: torch.std_mean(x, 1),
        torch.tensor([[1e30, 3e30, -2e30], [3e38, 3e38, -3e38]]),
    ),
)
"""What other backends lack."""

ALL_TABLES = {**TABLES, **LAYERS, **CORNERS, "algebra": ALGEBRA, "own": OWN}


def backend() -> Backend:
    from dycl.backends.tvm import TvmBackend

    return TvmBackend()


def differences(cases: Cases, directory: Path, compiler: Backend) -> dict[str, str]:
    subdnns: list[CapturedSubDnn] = [
        capture_function(case.function, *case.inputs, name=f"subdnn_{number}")
        for number, case in enumerate(cases)
    ]
    calls = calls_of(compiler, subdnns, directory)
    differing = {}
    for number, case in enumerate(cases):
        with torch.no_grad():
            expected = case.function(*(x.clone() for x in case.inputs))
        arrays = [x.numpy().copy() for x in case.inputs]
        found = difference(expected, calls[f"subdnn_{number}"](*arrays))
        unchanged = all(
            np.array_equal(a, x.numpy(), equal_nan=a.dtype.kind == "f")
            for a, x in zip(arrays, case.inputs, strict=True)
        )
        if found or not unchanged:
            differing[case.name] = found or "an input was changed"
    return differing


@pytest.mark.slow
@pytest.mark.parametrize("table", ALL_TABLES)
def test_operators_equal_pytorch(table: str, tmp_path: Path) -> None:
    cases = tuple(c for c in ALL_TABLES[table] if c.name not in REFUSED | REFUSED_IN_PART)
    assert differences(cases, tmp_path, backend()) == {}


def test_formulas_keep_to_floating_point(tmp_path: Path) -> None:
    assert differences(ALGEBRA, tmp_path, backend()) == {}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_operator_without_a_lowering_is_refused_at_its_line(name: str, tmp_path: Path) -> None:
    (case,) = (c for table in ALL_TABLES.values() for c in table if c.name == name)
    inputs = {f"x{i}": x for i, x in enumerate(case.inputs)}
    subdnn = capture_lines(
        "y = x0.clone()",
        f"z = function({', '.join(['y', *list(inputs)[1:]])})",
        knowns={"function": case.function},
        inputs=inputs,
        outputs=("z",),
    )
    with pytest.raises(CompileError) as caught:
        compile_alone(backend(), [subdnn], tmp_path)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "DYCL411"
    assert diagnostic.origin is not None and diagnostic.origin.line == 2


_NOT_TAKEN = {"order of a search"}
"""What raises for some indices, of operators that TVM has no lowering for."""


def test_what_raises_in_pytorch_raises_in_the_runtime(tmp_path: Path) -> None:
    cases = {name: each for name, each in RAISING.items() if name not in _NOT_TAKEN}
    names = {name: f"subdnn_{number}" for number, name in enumerate(cases)}
    subdnns = [
        capture_function(function, x, good, name=names[name])
        for name, (function, x, good, _) in cases.items()
    ]
    calls = calls_of(backend(), subdnns, tmp_path)
    wrong = []
    for name, (function, x, good, bad_ones) in cases.items():
        calls[names[name]](x.numpy(), good.numpy())
        for bad in bad_ones:
            with pytest.raises((RuntimeError, IndexError)) as eager:
                function(x.clone(), bad)
            try:
                calls[names[name]](x.numpy(), bad.numpy())
                wrong.append((name, "silent"))
            except (RuntimeError, IndexError) as raised:
                if type(raised) is not eager.type:
                    wrong.append((name, f"{type(raised)} for {eager.type}"))
    assert wrong == []
