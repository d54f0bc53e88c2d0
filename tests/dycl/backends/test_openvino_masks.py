"""Masks of minus infinity in OpenVINO: equal to PyTorch, or an error where a row is all masked."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from dycl.backends import create_backend
from dycl.backends.compiling import compile_checked
from dycl.backends.interface import Workplace
from dycl.backends.running import load_artifact
from dycl.backends.weights_file import WeightsFile
from dycl.testing.calls import calls_of
from dycl.testing.subdnns import capture_function
from tests.dycl.symbolic import capture_symbolic, floats

pytest.importorskip("openvino")

SCORES = torch.randn(3, 5, generator=torch.Generator().manual_seed(0))
MASK = torch.tensor([[0, 1, 1, 0, 0], [1, 1, 1, 1, 0], [0, 0, 0, 0, 0]], dtype=torch.bool)


def compiled(function: Callable[..., Any], *inputs: Tensor, directory: Path) -> Callable[..., Any]:
    subdnn = capture_function(function, *inputs)
    return calls_of(create_backend("openvino"), [subdnn], directory)[subdnn.name]


MASKED: dict[str, Callable[..., Tensor]] = {
    "filled": lambda x, m: x.masked_fill(m, float("-inf")).softmax(-1),
    "added": lambda x, m: (x + torch.zeros(3, 5).masked_fill(m, float("-inf"))).softmax(-1),
    "other axis": lambda x, m: x.masked_fill(m, float("-inf")).t().softmax(0),
    "chosen": lambda x, m: x.masked_fill(m, float("-inf")).argmax(-1),
    "triangle": lambda x, m: (x[:, :3] + torch.full((3, 3), float("-inf")).triu(1)).softmax(-1),
    "twice": lambda x, m: x.masked_fill(m, float("-inf")).masked_fill(x > 2, -1e9).softmax(-1),
}


@pytest.mark.parametrize("name", MASKED)
def test_masked_scores_are_as_in_pytorch(name: str, tmp_path: Path) -> None:
    function = MASKED[name]
    call = compiled(function, SCORES, MASK, directory=tmp_path)
    expected = function(SCORES, MASK)
    np.testing.assert_allclose(call(SCORES.numpy(), MASK.numpy()), expected.numpy(), 1e-5, 1e-7)


@pytest.mark.parametrize("name", ["filled", "added", "other axis", "chosen"])
def test_row_without_a_number_raises(name: str, tmp_path: Path) -> None:
    """PyTorch's softmax of it is NaN, which OpenVINO does not keep."""
    call = compiled(MASKED[name], SCORES, MASK, directory=tmp_path)
    masked = MASK.numpy().copy()
    masked[1] = True
    with pytest.raises(FloatingPointError, match="NaN comes up"):
        call(SCORES.numpy(), masked)


def attention(x: Tensor) -> Tensor:
    mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
    scores = (x @ x.transpose(1, 2)).masked_fill(mask, float("-inf"))
    return F.softmax(scores, dim=-1) @ x


def attention_to_all(x: Tensor) -> Tensor:
    return F.softmax(x @ x.transpose(1, 2), dim=-1) @ x


@pytest.mark.parametrize("function", [attention, attention_to_all])
def test_attention_of_any_length(function: Callable[..., Tensor], tmp_path: Path) -> None:
    """OpenVINO's own attention is wrong from 16 steps on, where their number varies."""
    subdnn = capture_symbolic(function, {"x": floats(1, "n", 4)}, floats(1, "n", 4))
    call = calls_of(create_backend("openvino"), [subdnn], tmp_path)[subdnn.name]
    for n in (0, 1, 2, 9, 16, 40, 100, 5):
        x = torch.randn(1, n, 4, generator=torch.Generator().manual_seed(n))
        np.testing.assert_allclose(call(x.numpy()), function(x).numpy(), 1e-4, 1e-6)


def attention_with_given_mask(x: Tensor, mask: Tensor) -> Tensor:
    lowest = torch.finfo(torch.float32).min
    return F.softmax(x @ x.transpose(1, 2) + (1.0 - mask)[:, None, :] * lowest, dim=-1) @ x


def test_mask_that_is_given_may_be_of_any_length(tmp_path: Path) -> None:
    """Random numbers for a mask overflow, at some lengths always; numbers from 0 to 1 do not."""
    subdnn = capture_symbolic(
        attention_with_given_mask,
        {"x": floats(1, "n", 4), "mask": floats(1, "n")},
        floats(1, "n", 4),
    )
    backend = create_backend("openvino")
    with WeightsFile(tmp_path) as weights:
        workplace = Workplace(directory=tmp_path, weights=weights, cache=None)
        [artifact] = compile_checked(backend, [subdnn], workplace, jobs=1)
    call = load_artifact(backend, subdnn, artifact, tmp_path)
    for n in (1, 2, 16, 33, 100):
        x = torch.randn(1, n, 4, generator=torch.Generator().manual_seed(n))
        mask = torch.ones(1, n)
        mask[:, 1 + n // 2 :] = 0
        expected = attention_with_given_mask(x, mask)
        np.testing.assert_allclose(call(x.numpy(), mask.numpy()), expected.numpy(), 1e-4, 1e-6)
    mask[:, 0] = 3
    with pytest.raises(FloatingPointError):
        call(x.numpy(), mask.numpy())
