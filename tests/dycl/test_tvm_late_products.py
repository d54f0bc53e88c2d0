"""Matrix products on TVM whose rows only run time knows: in tiles, whatever is fused with them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from dycl.backends import create_backend
from dycl.capture import CapturedSubDnn
from dycl.testing.calls import calls_of
from dycl.testing.subdnns import capture_function
from rewriter.program import SymbolRange, TensorSpec, VariableSpec
from tests.dycl.symbolic import booleans, capture_symbolic, count, floats, integers

pytestmark = pytest.mark.skipif(
    not create_backend("tvm").available().available, reason="TVM is not installed"
)

SIZES = {"s": SymbolRange(), "t": SymbolRange()}


def weight(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(len(shape)))


W, UNEVEN, WIDE, THIN = weight(12, 32), weight(12, 21), weight(12, 224), weight(12, 1)
BACK, BIAS = weight(32, 12), weight(32)

DOUBLES = TensorSpec(dtype=torch.float64, shape=("s", "s"))

X: Mapping[str, VariableSpec] = {"x": floats("s", 12)}
XY: Mapping[str, VariableSpec] = {**X, "y": floats("t", 12)}


def twice(x: Tensor) -> tuple[Tensor, Tensor]:
    y = x @ W + BIAS
    return y, y.relu()


def residual(x: Tensor) -> Tensor:
    y = x @ W
    return y * torch.sigmoid(y) + y


CASES: dict[
    str, tuple[Callable[..., Any], Mapping[str, VariableSpec], TensorSpec | tuple[TensorSpec, ...]]
] = {
    "plain": (lambda x: x @ W, X, floats("s", 32)),
    "uneven columns": (lambda x: x @ UNEVEN, X, floats("s", 21)),
    "one column": (lambda x: x @ THIN, X, floats("s", 1)),
    "many columns": (lambda x: x @ WIDE, X, floats("s", 224)),
    "turned weight": (lambda x: F.linear(x, W.T.contiguous(), BIAS), X, floats("s", 32)),
    "uneven with bias": (lambda x: torch.relu(x @ UNEVEN + BIAS[:21]), X, floats("s", 21)),
    "gelu": (lambda x: F.gelu(x @ W + BIAS), X, floats("s", 32)),
    "read twice": (residual, X, floats("s", 32)),
    "two outputs": (twice, X, (floats("s", 32), floats("s", 32))),
    "hyperbolic": (lambda x: torch.sinh(x @ W * 0.1), X, floats("s", 32)),
    "booleans": (lambda x: x @ W > 0.1, X, booleans("s", 32)),
    "integers": (lambda x: (x @ W * 1e-3).long(), X, integers("s", 32)),
    "doubles": (lambda x: ((x @ W).double() * 2).float(), X, floats("s", 32)),
    "more dimensions": (lambda x: x @ W + torch.ones(3, 1, 32), X, floats(3, "s", 32)),
    "mask": (lambda x: (x @ W).masked_fill(x[:, :1] > 0, 1e9), X, floats("s", 32)),
    "turned": (lambda x: (x @ W).T + 1, X, floats(32, "s")),
    "softmax": (lambda x: (x @ W).softmax(1), X, floats("s", 32)),
    "norm": (lambda x: F.layer_norm(x @ W, (32,)), X, floats("s", 32)),
    "rows of the product": (lambda x: (x @ W)[1:] * 2, X, floats("u", 32)),
    "other rows": (lambda x: x[1:] @ W, X, floats("u", 32)),
    "cut rows": (lambda x, n: x[:n] @ W, {**X, "n": count()}, floats("u", 32)),
    "joined rows": (lambda x, y: torch.cat([x, y]) @ W, XY, floats("s + t", 32)),
    "rows of both": (
        lambda x: x @ W,
        {"x": floats("s", "t", 12)},
        floats("s", "t", 32),
    ),
    "chosen rows": (lambda x: x[x[:, 0] > 0] @ W, X, floats("u", 32)),
    "both of run time": (lambda x, y: x @ y.T, XY, floats("s", "t")),
    "both, and what follows": (
        lambda x, y: torch.relu(x @ y.T - 1) * 2,
        XY,
        floats("s", "t"),
    ),
    "as many terms as rows": (lambda x: x.T @ x, X, floats(12, 12)),
    "terms of run time": (
        lambda x, y: x.T @ torch.cat([x[:, :4], y[:, :4]], 1)[:, :7],
        {**X, "y": floats("s", 12)},
        floats(12, 7),
    ),
    "batches": (
        lambda x: torch.bmm(x, x.transpose(1, 2)) / 3,
        {"x": floats("s", "t", 12)},
        floats("s", "t", "t"),
    ),
    "heads": (
        lambda x, y: x.view(-1, 3, 4).transpose(0, 1) @ y.view(-1, 3, 4).permute(1, 2, 0),
        XY,
        floats(3, "s", "t"),
    ),
    "doubles of run time": (lambda x: x.double() @ x.double().T, X, DOUBLES),
    "two layers": (lambda x: torch.relu(x @ W) @ BACK + x, X, floats("s", 12)),
}


def many_gates(x: Tensor) -> Tensor:
    """Return what reads itself twice, again and again: 2**24 times, were it one expression."""
    for _ in range(24):
        x = x * torch.sigmoid(x)
    return x


def captured(name: str) -> CapturedSubDnn:
    function, inputs, outputs = CASES[name]
    results = outputs if isinstance(outputs, tuple) else (outputs,)
    subdnn = capture_symbolic(function, inputs, *results, symbols=SIZES)
    return replace(subdnn, name=name)


@pytest.mark.slow
def test_products_are_right_with_whatever_follows(tmp_path: Path) -> None:
    """``compile_checked`` runs each beside PyTorch with sizes 0, 1, 2, 5 and others drawn apart."""
    calls = calls_of(create_backend("tvm"), [captured(name) for name in CASES], tmp_path)
    assert list(calls) == list(CASES)


def test_every_number_of_rows_is_right(tmp_path: Path) -> None:
    names = ("plain", "uneven columns", "gelu", "two layers", "other rows", "hyperbolic")
    calls = calls_of(create_backend("tvm"), [captured(name) for name in names], tmp_path)
    for size in range(20):
        x = torch.randn(size, 12, generator=torch.Generator().manual_seed(size))
        for name in names:
            wanted = CASES[name][0](x)
            np.testing.assert_allclose(calls[name](x.numpy()), wanted, rtol=1e-4, atol=1e-5)


def test_no_expression_doubles_with_each_operator(tmp_path: Path) -> None:
    """They would take hours to compile."""
    late = capture_symbolic(lambda x: many_gates(x @ W), X, floats("s", 32), symbols=SIZES)
    known = capture_function(lambda x: many_gates(x @ W), torch.ones(3, 12), name="known")
    gates = capture_function(many_gates, torch.ones(3, 16), name="gates")
    calls = calls_of(create_backend("tvm"), [late, known, gates], tmp_path)
    assert list(calls) == ["subdnn_0", "known", "gates"]


def test_nan_and_infinities_stay_in_their_rows(tmp_path: Path) -> None:
    names = ("plain", "uneven columns")
    calls = calls_of(create_backend("tvm"), [captured(name) for name in names], tmp_path)
    for size in (1, 4, 5, 9):
        for value in (float("nan"), float("inf"), -float("inf")):
            x = torch.ones(size, 12)
            x[size // 2, 3], x[-1, 5] = value, -value
            for name in names:
                got, wanted = calls[name](x.numpy()), CASES[name][0](x)
                np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)
