"""What is computed from chosen elements of a weight alone is computed before a call."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from dycl.backends.onnx_graphs.skeletons import Skeletons
from dycl.backends.onnxruntime import OnnxRuntimeBackend
from dycl.testing.calls import calls_of
from rewriter.program import TensorSpec
from tests.dycl.symbolic import capture_symbolic, floats, integers

ROW = torch.arange(6.0) - 2
EXACT = (torch.arange(6.0) / 3).double()
TABLE = torch.randn(6, 3, generator=torch.Generator().manual_seed(0))
WHOLE = torch.arange(6) * 3
LARGE = torch.randn(4097, generator=torch.Generator().manual_seed(1))
PLACES = torch.tensor([2, 0, 1, 1])

N = floats("n")
Program = tuple[Callable[[Tensor], Tensor], TensorSpec]

BEFORE: dict[str, Program] = {
    "a chain": (lambda i: torch.sqrt(ROW.abs()[i] + 1e-5), N),
    "a number first": (lambda i: 2 - ROW[i], N),
    "divided by zeros": (lambda i: 1 / ROW[i], N),
    "rows": (lambda i: -TABLE[i], floats("n", 3)),
    "columns": (lambda i: TABLE[:, i] * 0.5, floats(6, "n")),
    "double precision": (lambda i: EXACT[i] + 1e-12, TensorSpec(dtype=torch.float64, shape=("n",))),
}
BEHIND: dict[str, Program] = {
    "much memory": (lambda i: LARGE[i] * 2, N),
    "integers, which may raise": (
        lambda i: WHOLE[i] * 2,
        TensorSpec(dtype=torch.int64, shape=("n",)),
    ),
    "rounded as the kernel does": (lambda i: torch.exp(ROW[i]), N),
    "a row of numbers": (lambda i: TABLE[i] * ROW[:3], floats("n", 3)),
    "what is read twice": (lambda i: (ROW[i] * 2) * ROW[i].cumsum(0), N),
    "of the input": (lambda i: (i + 0.5)[i * 0] * 2, N),
}


def judged(program: Program, place: Path) -> list[str]:
    """Return the operators of the graph, after a call of it was compared with the original."""
    function, result = program
    subdnn = capture_symbolic(function, {"i": integers("n")}, result)
    [graph] = Skeletons(None).find([subdnn])
    [call] = calls_of(OnnxRuntimeBackend(), [subdnn], place).values()
    np.testing.assert_array_max_ulp(call(PLACES.numpy()), function(PLACES).numpy(), maxulp=2)
    return [node.op_type for node in graph.graph.node]


@pytest.mark.parametrize("name", BEFORE)
def test_is_computed_before(name: str, tmp_path: Path) -> None:
    assert judged(BEFORE[name], tmp_path)[-1] == "Gather"


@pytest.mark.parametrize("name", BEHIND)
def test_is_computed_behind(name: str, tmp_path: Path) -> None:
    operators = judged(BEHIND[name], tmp_path)
    assert "Gather" in operators
    assert operators[-1] != "Gather"
