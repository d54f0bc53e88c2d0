"""The smallest values of sigmoids on ONNX Runtime, where they matter."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from dycl.backends.onnxruntime import OnnxRuntimeBackend
from dycl.testing.calls import calls_of
from dycl.testing.subdnns import capture_function

X = torch.tensor([[-80.0, -30.0, -18.5, -5.0], [0.0, 3.0, 20.0, 90.0]])
EXTREMES = torch.tensor([[-torch.inf, torch.inf, torch.nan, -200.0]])

PROGRAMS: dict[str, Callable[[Tensor], Tensor]] = {
    "an output": torch.sigmoid,
    "reshaped": lambda x: torch.sigmoid(x).t().unsqueeze(0),
    "logarithm": lambda x: torch.sigmoid(x).log(),
    "logarithm of a product": lambda x: (torch.sigmoid(x) * 0.5).log() + 1,
    "divisor": lambda x: x / torch.sigmoid(x),
    "power": lambda x: torch.sigmoid(x) ** -0.5,
    "double precision": lambda x: torch.sigmoid(x.double()).log(),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_small_values_are_as_in_pytorch(name: str, tmp_path: Path) -> None:
    for number, x in enumerate((X, EXTREMES)):
        directory = tmp_path / str(number)
        directory.mkdir()
        subdnn = capture_function(PROGRAMS[name], x)
        found = calls_of(OnnxRuntimeBackend(), [subdnn], directory)[subdnn.name](x.numpy())
        expected = PROGRAMS[name](x).numpy()
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=0)


# From 17 on, PyTorch's are exactly 1. Of equal scores the first comes first: the order is stable.
LARGE = torch.tensor(
    [[17.25, 17.5, 17.0, 18.0, 5.0, 17.366], [17.366, 25.0, -3.0, 19.0, 17.5, 17.75]]
)
ORDERS: dict[str, Callable[[Tensor], Tensor]] = {
    "sorted": lambda x: torch.sigmoid(x).sort(stable=True, descending=True).indices,
    "compared": lambda x: torch.sigmoid(x) >= 1,
    "some of them": lambda x: torch.cat([torch.sigmoid(x), x])[x.new_ones(4, 6) > 0][:12],
}


@pytest.mark.parametrize("name", ORDERS)
def test_equal_scores_stay_equal(name: str, tmp_path: Path) -> None:
    subdnn = capture_function(ORDERS[name], LARGE)
    found = calls_of(OnnxRuntimeBackend(), [subdnn], tmp_path)[subdnn.name](LARGE.numpy())
    np.testing.assert_array_equal(found, ORDERS[name](LARGE).numpy())


OTHERS: dict[str, Callable[[Tensor], Tensor]] = {
    "multiplied": lambda x: (x * torch.sigmoid(x)) @ x.t(),
    "a gate": lambda x: x * (torch.sigmoid(x) > 0.5),
}


@pytest.mark.parametrize("name", OTHERS)
def test_others_stay_one_operator(name: str, tmp_path: Path) -> None:
    subdnn = capture_function(OTHERS[name], X)
    calls_of(OnnxRuntimeBackend(), [subdnn], tmp_path)
    (model,) = tmp_path.glob("*.onnx")
    content = model.read_bytes()
    assert b"Sigmoid" in content and b"Exp" not in content
