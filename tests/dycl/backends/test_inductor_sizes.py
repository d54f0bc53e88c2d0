"""Torch inductor at sizes and integers of run time: none, one, and many."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim

import dycl
from dycl.backends import create_backend
from dycl.backends.inductor.tracing import traced
from dycl.testing.calls import calls_of
from rewriter.program import TensorSpec, VariableSpec
from tests.dycl.symbolic import capture_symbolic, count, floats, integers

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("g++") is None, reason="there is no C++ compiler"),
]

SIZES = (0, 1, 2, 3, 8, 100, 1000)


def compiled(
    function: Callable[..., object],
    inputs: Mapping[str, VariableSpec],
    *outputs: TensorSpec,
    directory: Path,
) -> Callable[..., np.ndarray]:
    subdnn = capture_symbolic(function, inputs, *outputs)
    return calls_of(create_backend("inductor"), [subdnn], directory)[subdnn.name]


def noise(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


def test_small_and_large_sizes(tmp_path: Path) -> None:
    """One archive for all: nothing in it takes a size for larger than one."""
    layer = nn.Linear(8, 4)

    def function(x: Tensor, y: Tensor) -> Tensor:
        joined = torch.cat([layer(x), y])
        return joined.softmax(0) + joined.cumsum(0)

    specs: dict[str, VariableSpec] = {"x": floats("n", 8), "y": floats("m", 4)}
    call = compiled(function, specs, floats("n + m", 4), directory=tmp_path)
    for n in SIZES:
        for m in (0, 1, 5):
            x, y = noise(n, 8), noise(m, 4)
            with torch.no_grad():
                expected = function(x, y).numpy()
            np.testing.assert_allclose(call(x.numpy(), y.numpy()), expected, 1e-4, 1e-4)


def test_two_sizes_that_may_be_equal_or_not(tmp_path: Path) -> None:
    def function(x: Tensor, y: Tensor) -> Tensor:
        return x.unsqueeze(1) * y - y.mean()

    specs: dict[str, VariableSpec] = {"x": floats("n"), "y": floats("m")}
    call = compiled(function, specs, floats("n", "m"), directory=tmp_path)
    for n in SIZES[:-1]:
        for m in (1, n + 1):
            x, y = noise(n), noise(m)
            expected = function(x, y).numpy()
            np.testing.assert_allclose(call(x.numpy(), y.numpy()), expected, 1e-4, 1e-5)


def test_integers_of_the_host(tmp_path: Path) -> None:
    def function(x: Tensor, k: int) -> tuple[Tensor, Tensor]:
        return x[:k] * k, torch.arange(k) + x.shape[0]

    specs: dict[str, VariableSpec] = {"x": floats("n", 2), "k": count(0)}
    call = compiled(function, specs, floats("u0", 2), integers("k"), directory=tmp_path)
    x = noise(6, 2)
    for k in (0, 1, 2, 6, 9):
        results = call(x.numpy(), np.array(k))
        for result, expected in zip(results, function(x, k), strict=True):
            np.testing.assert_allclose(result, expected.numpy(), 1e-6)


def test_cuts_have_both_bounds() -> None:
    """Of a bound that is left out, PyTorch writes C++ with the word ``None``."""

    def function(x: Tensor, k: int) -> tuple[Tensor, Tensor]:
        return x[:k], torch.ops.aten.slice(x, 0, k)

    specs: dict[str, VariableSpec] = {"x": floats(6, "n"), "k": count(0)}
    graph = traced(capture_symbolic(function, specs, floats("u0", "n"), floats("u1", "n"))).graph
    cuts = [node.args for node in graph.nodes if node.target is torch.ops.aten.slice.Tensor]
    assert len(cuts) == 2
    assert all(len(bounds) >= 4 and None not in bounds for bounds in cuts)


def test_index_out_of_a_size_of_run_time_raises(tmp_path: Path) -> None:
    specs: dict[str, VariableSpec] = {"x": floats("n"), "i": integers("m")}
    call = compiled(lambda x, i: x[i] * 2, specs, floats("m"), directory=tmp_path)
    x = noise(4)
    np.testing.assert_array_equal(call(x.numpy(), np.array([3, -4])), (x[[3, 0]] * 2).numpy())
    for bad in (4, -5):
        with pytest.raises(IndexError):
            call(x.numpy(), np.array([0, bad]))


class Reader(nn.Module):
    """Reads a sequence of any length."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layer = nn.GRU(3, 4, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        outputs: Tensor = self.layer(x)[0]
        return -outputs if outputs.sum() > 0 else outputs


WITHOUT_DYCL = """
import sys
for name in ("dycl", "hcfg", "rewriter", "codegen_host", "libcst"):
    sys.modules[name] = None
import numpy, reader_dycl
for n in (1, 2, 70):
    numpy.save(f"{n}.out.npy", reader_dycl.forward(numpy.load(f"{n}.npy")))
"""


def test_recurrent_layer_runs_where_there_is_no_dycl(tmp_path: Path) -> None:
    model = Reader().eval()
    steps = {"x": {1: Dim("steps", min=1, max=100)}}
    output = tmp_path / "reader_dycl"
    dycl.compile(model, (noise(1, 5, 3),), backend="inductor", output=output, dynamic_shapes=steps)
    for n in (1, 2, 70):
        np.save(tmp_path / f"{n}.npy", noise(1, n, 3).numpy())
    subprocess.run([sys.executable, "-c", WITHOUT_DYCL], cwd=tmp_path, check=True)
    for n in (1, 2, 70):
        with torch.no_grad():
            expected = model(noise(1, n, 3)).numpy()
        np.testing.assert_allclose(np.load(tmp_path / f"{n}.out.npy"), expected, 1e-5, 1e-6)
