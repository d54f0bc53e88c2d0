"""Indices along one dimension, places of what is not zero and views of unknown length are lean."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from dycl.backends.onnx_graphs.skeletons import Skeletons
from dycl.backends.onnxruntime import OnnxRuntimeBackend
from dycl.testing.calls import calls_of
from rewriter.program import TensorSpec, VariableSpec
from tests.dycl.symbolic import booleans, capture_symbolic, floats, integers

FILTERS = torch.randn(6, 3, 3, 3, generator=torch.Generator().manual_seed(0))
IMAGE = torch.randn(1, 3, 8, 8, generator=torch.Generator().manual_seed(1))
ROW = torch.arange(6.0) - 2
SOME, ONE, NONE = torch.tensor([4, 0, -1]), torch.tensor([2]), torch.tensor([], dtype=torch.int64)
KEPT = torch.tensor([True, False, True, True, False, True])
INDICES = {"i": integers("n")}
VECTOR = {"v": floats("n")}

Program = tuple[Callable[..., Any], Mapping[str, VariableSpec], TensorSpec, dict[str, int]]

PROGRAMS: dict[str, Program] = {
    "first": (lambda i: FILTERS[i], INDICES, floats("n", 3, 3, 3), {"Gather": 1}),
    "last": (lambda i: FILTERS[..., i - i] * 2, INDICES, floats(6, 3, 3, "n"), {"Gather": 1}),
    "middle": (
        lambda i: FILTERS[:, i * 0 + 1] * 2,
        INDICES,
        floats(6, "n", 3, 3),
        {"Gather": 1},
    ),
    "a table of indices": (
        lambda i: ROW[i.view(-1, 1)] * 2,
        INDICES,
        floats("n", 1),
        {"Gather": 1, "Reshape": 1},
    ),
    "what a mask keeps": (
        lambda m: FILTERS[m] * 2,
        {"m": booleans(6)},
        floats("u", 3, 3, 3),
        {"Gather": 1, "NonZero": 1, "Reshape": 1},
    ),
    "two dimensions": (
        lambda i: FILTERS[i, i * 0] * 2,
        INDICES,
        floats("n", 3, 3),
        {"GatherND": 1},
    ),
    "where it is positive": (
        lambda v: torch.nonzero(v > 0, as_tuple=True)[0] * 2,
        VECTOR,
        integers("u"),
        {"NonZero": 1, "Reshape": 1, "Squeeze": 0},
    ),
    "means of unknown channels": (
        lambda i: FILTERS[:, i * 0].mean((2, 3)),
        INDICES,
        floats(6, "n"),
        {"ReduceMean": 1, "Div": 0},
    ),
    "a mean of unknown length": (
        lambda v: v.mean(0, keepdim=True),
        VECTOR,
        floats(1),
        {"ReduceMean": 0, "Div": 1},
    ),
    "dimensions of one": (
        lambda v: v[:, None].transpose(0, 1)[None] * 2,
        VECTOR,
        floats(1, 1, "n"),
        {"Unsqueeze": 1, "Reshape": 1, "Transpose": 0, "If": 0},
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """Programs as ONNX graphs, and as what runs them."""

    graphs: Mapping[str, onnx.ModelProto]
    calls: Mapping[str, Callable[..., Any]]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    subdnns = [
        capture_symbolic(function, inputs, output)
        for function, inputs, output, _ in PROGRAMS.values()
    ]
    return Compiled(
        graphs=dict(zip(PROGRAMS, Skeletons(None).find(subdnns), strict=True)),
        calls={
            name: next(iter(calls_of(OnnxRuntimeBackend(), [each], place).values()))
            for name, each in zip(PROGRAMS, subdnns, strict=True)
            for place in [tmp_path_factory.mktemp("lean")]
        },
    )


def compare(call: Callable[..., Any], function: Callable[..., Tensor], given: Tensor) -> None:
    expected, found = function(given).numpy(), call(given.numpy())
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", PROGRAMS)
def test_few_operators_do(name: str, compiled: Compiled) -> None:
    function, inputs, _, wanted = PROGRAMS[name]
    kinds = Counter(node.op_type for node in compiled.graphs[name].graph.node)
    assert {kind: kinds[kind] for kind in wanted} == wanted
    examples = {"i": [SOME, ONE, NONE], "v": [ROW, ROW[:1], ROW[5:], ROW[:0]], "m": [KEPT, ~KEPT]}
    for given in examples[next(iter(inputs))]:
        compare(compiled.calls[name], function, given)


@pytest.mark.parametrize("index", [6, -7])
@pytest.mark.parametrize("name", ["first", "a table of indices", "two dimensions"])
def test_an_index_out_of_range_raises(name: str, index: int, compiled: Compiled) -> None:
    given = torch.tensor([0, index])
    with pytest.raises(IndexError):
        PROGRAMS[name][0](given)
    with pytest.raises(IndexError):
        compiled.calls[name](given.numpy())


def test_no_bias_is_no_zeros(tmp_path: Path) -> None:
    def function(i: Tensor) -> Tensor:
        return F.conv2d(IMAGE, FILTERS[i])

    subdnn = capture_symbolic(function, INDICES, floats(1, "n", 6, 6))
    [graph] = Skeletons(None).find([subdnn])
    assert "Expand" not in {node.op_type for node in graph.graph.node}
    [call] = calls_of(OnnxRuntimeBackend(), [subdnn], tmp_path).values()
    for given in (SOME, ONE):
        compare(call, function, given)
