"""Every operator in the tables gives through ONNX Runtime what it gives in PyTorch."""

from pathlib import Path

import numpy as np
import pytest
import torch

from dycl.backends import diagnosing
from dycl.backends.onnx_graphs import exporting
from dycl.backends.onnxruntime import OnnxRuntimeBackend
from dycl.testing.calls import calls_of, compile_alone
from dycl.testing.subdnns import capture_function, capture_lines
from rewriter.diagnostics import CompileError
from tests.dycl.operator_bounds import BOUNDS
from tests.dycl.operator_corners import CORNERS, RAISING, REFUSED
from tests.dycl.operator_integers import INTEGERS
from tests.dycl.operator_layers import LAYERS
from tests.dycl.operator_table import TABLES, Cases

# eager PyTorch warns about some of the corners
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

ALL_TABLES = {**TABLES, **LAYERS, **CORNERS, "bounds": BOUNDS, "integers": INTEGERS}
THREE = torch.arange(9.0).reshape(3, 3)


def difference(expected: object, got: object) -> str:
    """Return what differs between PyTorch's result and the runtime's, "" if nothing does."""
    wanted = (expected,) if isinstance(expected, torch.Tensor) else expected
    found = [got] if isinstance(got, np.ndarray) else got
    assert isinstance(wanted, tuple) and isinstance(found, list) and len(wanted) == len(found)
    for tensor, array in zip(wanted, found, strict=True):
        reference = tensor.detach().numpy()
        if (reference.dtype, reference.shape) != (array.dtype, array.shape):
            return f"{reference.dtype}{reference.shape} became {array.dtype}{array.shape}"
        tolerance = 1e-2 if reference.dtype == np.float16 else 1e-4
        if reference.dtype.kind != "f":
            same = np.array_equal(reference, array)
        else:
            same = np.allclose(array, reference, rtol=tolerance, atol=tolerance, equal_nan=True)
        if not same:
            return f"{reference} became {array}"
    return ""


@pytest.mark.parametrize("table", ALL_TABLES)
def test_operators_equal_pytorch(table: str, tmp_path: Path) -> None:
    cases: Cases = ALL_TABLES[table]
    subdnns = [
        capture_function(case.function, *case.inputs, name=f"subdnn_{number}")
        for number, case in enumerate(cases)
    ]
    calls = calls_of(OnnxRuntimeBackend(), subdnns, tmp_path)
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
    assert differing == {}


def test_what_raises_in_pytorch_raises_in_the_runtime(tmp_path: Path) -> None:
    names = {name: f"subdnn_{number}" for number, name in enumerate(RAISING)}
    subdnns = [
        capture_function(function, x, good, name=names[name])
        for name, (function, x, good, _) in RAISING.items()
    ]
    calls = calls_of(OnnxRuntimeBackend(), subdnns, tmp_path)
    silent = []
    for name, (function, x, good, bad_ones) in RAISING.items():
        calls[names[name]](x.numpy(), good.numpy())
        for bad in bad_ones:
            with pytest.raises((RuntimeError, IndexError)):
                function(x.clone(), bad)
            try:
                calls[names[name]](x.numpy(), bad.numpy())
            except Exception:
                continue
            silent.append(name)
    assert silent == []


@pytest.mark.parametrize("name", REFUSED)
def test_operator_without_translation_is_refused_at_its_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnosing, "takers", lambda *_: ())  # who compiles it, which takes long
    subdnn = capture_lines(
        "y = torch.relu(x)",
        "z = function(y)",
        "w = z + 1",
        knowns={"torch": torch, "function": REFUSED[name]},
        inputs={"x": THREE},
        outputs=("w",),
    )
    with pytest.raises(CompileError) as caught:
        compile_alone(OnnxRuntimeBackend(), [subdnn], tmp_path)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "DYCL411"
    assert diagnostic.origin is not None and diagnostic.origin.line == 2


def test_result_of_another_type_is_refused_at_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exporter translates this to a maximum in single precision, unless that is copied."""
    monkeypatch.setattr(exporting, "settled", lambda output: output)
    subdnn = capture_lines(
        "h = x.half()",
        "y = h.amax(1)",
        knowns={},
        inputs={"x": THREE},
        outputs=("y",),
    )
    with pytest.raises(CompileError, match="computes something else: y is float32") as caught:
        compile_alone(OnnxRuntimeBackend(), [subdnn], tmp_path)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "DYCL412"
    assert diagnostic.origin is not None and diagnostic.origin.line == 2


def test_operator_without_a_kernel_is_refused_at_its_line(tmp_path: Path) -> None:
    convolution = torch.nn.Conv2d(1, 1, 1).double().eval()
    subdnn = capture_lines(
        "h = x.double()",
        "y = function(h)",
        knowns={"function": convolution},
        inputs={"x": THREE.reshape(1, 1, 3, 3)},
        outputs=("y",),
    )
    with pytest.raises(CompileError, match="DYCL413") as caught:
        compile_alone(OnnxRuntimeBackend(), [subdnn], tmp_path)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.origin is not None and diagnostic.origin.line == 2
