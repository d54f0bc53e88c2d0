"""OpenVINO: equal to PyTorch, or refused, or raised; never silent."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch.export import Dim

import dycl
from dycl.backends import BackendOptions, create_backend
from dycl.testing.calls import calls_of
from dycl.testing.subdnns import capture_function
from rewriter.diagnostics import CompileError
from tests.dycl.symbolic import capture_symbolic, floats

pytest.importorskip("openvino")

X = torch.tensor([[0.5, -1.0, 1.5], [-2.0, 2.5, -3.0]])
INDEX = torch.tensor([0, 1, 0])


def compiled(
    function: Callable[..., Any], *inputs: torch.Tensor, directory: Path
) -> Callable[..., Any]:
    subdnn = capture_function(function, *inputs)
    return calls_of(create_backend("openvino"), [subdnn], directory)[subdnn.name]


@pytest.mark.parametrize("special", [float("nan"), float("inf"), -float("inf")])
def test_infinite_input_raises(special: float, tmp_path: Path) -> None:
    """ReLU of NaN is 0 there, which would be a silent difference."""
    call = compiled(torch.relu, X, directory=tmp_path)
    np.testing.assert_array_equal(call(X.numpy()), F.relu(X).numpy())
    bad = X.numpy().copy()
    bad[0, 1] = special
    with pytest.raises(FloatingPointError, match="subdnn_0: a number is infinite or NaN"):
        call(bad)


def test_nan_from_finite_numbers_raises(tmp_path: Path) -> None:
    call = compiled(lambda x: torch.relu(torch.log(x)), X.abs(), directory=tmp_path)
    with pytest.raises(FloatingPointError, match="NaN comes up"):
        call(X.numpy())


@pytest.mark.parametrize("bad", [2, -3, 10**6, -(10**6), 2**31 - 1])
def test_index_out_of_range_raises(bad: int, tmp_path: Path) -> None:
    call = compiled(lambda x, i: x[i], X, INDEX, directory=tmp_path)
    np.testing.assert_array_equal(call(X.numpy(), INDEX.numpy()), X[INDEX].numpy())
    with pytest.raises(IndexError, match="subdnn_0: an index is out of range"):
        call(X.numpy(), np.array([0, bad, 0]))


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("float64", lambda x: x.double() * 2),
        ("float16", lambda x: x.half() * 2),
        ("infinite or NaN", lambda x: x.masked_fill(x > 0, float("-inf"))),
        ("infinite or NaN", lambda x: x.masked_fill(x > 0, float("inf")).softmax(1)),
        ("Cast of float32 to int64", lambda x: x.long()),
        ("Asinh", torch.asinh),
        ("MatMul of a tensor without elements", lambda x: x[:, :0] @ x[:, :0].T),
        ("ReduceSum of a tensor without elements", lambda x: x[:0].sum(0)),
    ],
)
def test_what_it_computes_otherwise_is_refused_by_name(
    name: str, function: Callable[..., Any], tmp_path: Path
) -> None:
    with pytest.raises(CompileError, match="DYCL411: OpenVINO cannot take this") as caught:
        compiled(function, X, directory=tmp_path)
    assert name in str(caught.value)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[:0] + torch.ones(3),
        lambda x: x[torch.ones(0, dtype=torch.long)] + x[:1],
        lambda x: torch.where(x[:0] > 0, x[:0], x[:1]),
        lambda x: torch.cat([(x[:0] * x[:1]).relu(), x]) * 2,
        lambda x: (x[:, :0].sum(0, keepdim=True) + 1).expand(4, 0),
    ],
)
def test_results_without_elements_are_not_computed(
    function: Callable[..., Any], tmp_path: Path
) -> None:
    """Its folding of them writes beyond their memory."""
    call = compiled(function, X, directory=tmp_path)
    expected = function(X).numpy()
    given = call(X.numpy())
    assert given.shape == expected.shape
    np.testing.assert_allclose(given, expected)


def test_other_devices_are_not_available() -> None:
    found = create_backend("openvino", BackendOptions(device="cuda")).available()
    assert not found.available and "cuda" in found.reason


def pick(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    return torch.relu(x)[i] if x.sum() > 0 else x[i] * 2


def test_sizes_of_run_time(tmp_path: Path) -> None:
    """The guard asks for the size that a tensor has."""
    host = dycl.compile(
        pick,
        (torch.ones(3), INDEX),
        backend="openvino",
        output=tmp_path / "pick_dycl",
        dynamic_shapes={"x": {0: Dim("length", min=1, max=8)}},
    )
    for x in (torch.ones(1), -torch.arange(4.0), torch.arange(8.0)):
        index = torch.tensor([0, len(x) - 1, -len(x)])
        np.testing.assert_array_equal(host(x.numpy(), index.numpy()), pick(x, index).numpy())
        for bad in (len(x), -len(x) - 1):
            with pytest.raises(IndexError, match="an index is out of range"):
                host(x.numpy(), np.array([0, bad, 0]))


def test_filters_and_images_of_run_time_are_refused(tmp_path: Path) -> None:
    subdnn = capture_symbolic(
        lambda x, weight: torch.conv2d(x, weight, padding=1),
        {"x": floats(1, "c", "h", 8), "weight": floats("k", "c", 3, 3)},
        floats(1, "k", "h", 8),
    )
    with pytest.raises(CompileError, match="Conv with filters or channels whose number"):
        calls_of(create_backend("openvino"), [subdnn], tmp_path)
