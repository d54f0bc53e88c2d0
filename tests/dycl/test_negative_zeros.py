"""Choices keep the sign of zero on ONNX Runtime, whose ``Where`` does not."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from dycl.backends.onnxruntime import OnnxRuntimeBackend
from dycl.testing.calls import calls_of
from dycl.testing.subdnns import capture_function

NAN, INFINITY = float("nan"), float("inf")
X = torch.tensor([[0.0, -0.0, 1.0, -1.0], [NAN, INFINITY, -INFINITY, -0.0]])
Y = torch.tensor([[-0.0, 2.0, -0.0, 0.0], [-0.0, -INFINITY, 3.0, NAN]])

PROGRAMS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "two tensors": lambda x, y: torch.where(y > 0, x, y),
    "the other way": lambda x, y: torch.where(y <= 0, x, y),
    "a number second": lambda x, y: torch.where(y <= 0, x, 1.0),
    "a number first": lambda x, y: torch.where(y <= 0, 1.0, x),
    "negative zero first": lambda x, y: torch.where(y <= 0, -0.0, x),
    "beside a zero": lambda x, y: torch.where(y <= 0.0, -0.0, x + 0.0),
    "after a zero": lambda x, y: torch.where(y > 1.0, 0.0, -0.0),
    "masked": lambda x, y: x.masked_fill(y > 0, -0.0),
    "not masked": lambda x, y: x.masked_fill(~(y > 0), 3.0),
    "double precision": lambda x, y: torch.where(y <= 0, x.double(), y.double()),
    "broadcast": lambda x, y: torch.where(y[:1] <= 0, x[:, :1], y[1]),
    "in turn": lambda x, y: torch.where(y > 0, x, torch.where(x > 0, y, x)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_choices_keep_the_sign_of_zero(name: str, tmp_path: Path) -> None:
    subdnn = capture_function(PROGRAMS[name], X, Y)
    found = calls_of(OnnxRuntimeBackend(), [subdnn], tmp_path)[subdnn.name](X.numpy(), Y.numpy())
    expected = PROGRAMS[name](X, Y).numpy()
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(
        np.signbit(found[expected == 0]), np.signbit(expected[expected == 0])
    )
