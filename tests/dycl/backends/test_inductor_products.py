"""Torch inductor on what it asks sizes about: attention, products, convolutions."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from dycl.backends import create_backend
from dycl.testing.calls import calls_of
from rewriter.program import SymbolRange, TensorSpec, VariableSpec
from tests.dycl.symbolic import capture_symbolic, floats

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("g++") is None, reason="there is no C++ compiler"),
]

SIZES = (0, 1, 2, 5)


def compiled(
    function: Callable[..., object],
    inputs: Mapping[str, VariableSpec],
    *outputs: TensorSpec,
    directory: Path,
    symbols: Mapping[str, SymbolRange] | None = None,
) -> Callable[..., np.ndarray]:
    subdnn = capture_symbolic(function, inputs, *outputs, symbols=symbols)
    return calls_of(create_backend("inductor"), [subdnn], directory)[subdnn.name]


def noise(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape) + seed))


def require_equal(
    call: Callable[..., np.ndarray], function: Callable[..., Tensor], inputs: Sequence[Tensor]
) -> None:
    with torch.no_grad():
        expected = function(*inputs).numpy()
    found = call(*(x.numpy() for x in inputs))
    np.testing.assert_allclose(found, expected, 1e-5, 1e-5, equal_nan=True)


class Attention(nn.Module):
    """Attention of two heads under a mask that is added, as in BERT."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.query, self.key, self.value = (nn.Linear(8, 8) for _ in range(3))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        query, key, value = (
            layer(x).view(*x.shape[:-1], 2, 4).permute(0, 2, 1, 3)
            for layer in (self.query, self.key, self.value)
        )
        scores = torch.matmul(query, key.transpose(-1, -2)) / 2.0 + mask
        found = torch.matmul(scores.softmax(-1), value)
        return found.permute(0, 2, 1, 3).reshape(x.shape)


def test_attention_over_any_length(tmp_path: Path) -> None:
    """Also where all is masked: NaN, not 0, which a fused kernel gives."""
    specs: dict[str, VariableSpec] = {"x": floats(1, "n", 8), "mask": floats(1, 1, 1, "n")}
    attention = Attention()
    call = compiled(attention, specs, floats(1, "n", 8), directory=tmp_path)
    for n in SIZES:
        for masked in (0.0, float("-inf")):
            mask = torch.full((1, 1, 1, n), masked)
            require_equal(call, attention, [noise(1, n, 8), mask])


def test_attention_over_a_known_length_to_nothing(tmp_path: Path) -> None:
    specs: dict[str, VariableSpec] = {"x": floats(1, 5, 8), "mask": floats(1, 1, 1, 5)}
    attention = Attention()
    call = compiled(attention, specs, floats(1, 5, 8), directory=tmp_path)
    for masked in (0.0, float("-inf")):
        require_equal(call, attention, [noise(1, 5, 8), torch.full((1, 1, 1, 5), masked)])


def test_causal_attention_of_parts_of_one_product(tmp_path: Path) -> None:
    layer = nn.Linear(6, 18)

    def function(x: Tensor) -> Tensor:
        q, k, v = layer(x).chunk(3, dim=-1)
        mask = torch.ones(x.size(1), x.size(1), dtype=torch.bool).triu(1)
        scores = (q @ k.transpose(1, 2)).masked_fill(mask, float("-inf"))
        found: Tensor = scores.softmax(-1) @ v
        return found

    call = compiled(function, {"x": floats(1, "n", 6)}, floats(1, "n", 6), directory=tmp_path)
    for n in SIZES:
        require_equal(call, function, [noise(1, n, 6)])


def test_products_with_all_sizes_of_run_time(tmp_path: Path) -> None:
    def function(x: Tensor, y: Tensor) -> Tensor:
        return torch.bmm(torch.tanh(x), y.transpose(1, 2) * 2) + 1

    specs: dict[str, VariableSpec] = {"x": floats("b", "n", "k"), "y": floats("b", "m", "k")}
    call = compiled(function, specs, floats("b", "n", "m"), directory=tmp_path)
    for b in SIZES[:3]:
        for n in SIZES:
            for m in SIZES:
                for k in SIZES:
                    require_equal(call, function, [noise(b, n, k), noise(b, m, k, seed=1)])


@pytest.mark.parametrize("kernel", [1, 3])
def test_convolutions_with_filters_of_run_time(kernel: int, tmp_path: Path) -> None:
    def function(x: Tensor, w: Tensor, bias: Tensor) -> Tensor:
        return torch.relu(nn.functional.conv2d(x * 2, w, bias, padding=1)).permute(0, 2, 3, 1) + 1

    specs: dict[str, VariableSpec] = {
        "x": floats(1, "c", 6, 6),
        "w": floats("f", "c", kernel, kernel),
        "bias": floats("f"),
    }
    size = 8 - kernel + 1
    call = compiled(function, specs, floats(1, size, size, "f"), directory=tmp_path)
    for c in SIZES:
        for f in SIZES:
            given = [noise(1, c, 6, 6), noise(f, c, kernel, kernel), noise(f)]
            if c and f:
                require_equal(call, function, given)
            else:  # PyTorch makes a result of another shape, or none
                with pytest.raises(RuntimeError, match=r"Expected u\d+ >= 1"):
                    call(*(x.numpy() for x in given))


@pytest.mark.parametrize("kernel", [1, 3])
def test_channels_that_come_last_in_memory(kernel: int, tmp_path: Path) -> None:
    """PyTorch then lays out the result so, too, unless a size is 1."""

    def function(x: Tensor, w: Tensor) -> Tensor:
        found = nn.functional.conv2d(x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1))
        return torch.relu(found + found.mean(1, keepdim=True))

    specs: dict[str, VariableSpec] = {
        "x": floats("b", 6, 6, "c"),
        "w": floats(kernel, kernel, "c", "f"),
    }
    output = floats("b", "f", 7 - kernel, 7 - kernel)
    call = compiled(function, specs, output, directory=tmp_path)
    for b in (0, 1, 2):
        for c in SIZES[1:]:
            for f in SIZES[1:]:
                require_equal(call, function, [noise(b, 6, 6, c), noise(kernel, kernel, c, f)])


def test_inputs_shorter_than_a_symbol(tmp_path: Path) -> None:
    """No length of the examples is 0 or 1, which would be taken for the only one."""

    def function(x: Tensor, y: Tensor, z: Tensor) -> Tensor:
        return torch.cat([x, y, z]) * 2

    specs: dict[str, VariableSpec] = {"x": floats("n - 3"), "y": floats("m - 4"), "z": floats("n")}
    ranges = {"n": SymbolRange(minimum=3), "m": SymbolRange(minimum=4)}
    output = floats("2*n + m - 7")
    call = compiled(function, specs, output, directory=tmp_path, symbols=ranges)
    for n in SIZES:
        for m in SIZES:
            require_equal(call, function, [noise(n), noise(m), noise(n + 3)])
