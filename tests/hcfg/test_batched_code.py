"""Sub-DNNs for batches compute what the sub-DNN computes for each element."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from hcfg.batched_code import of_batch
from hcfg.build import build_hcfg
from hcfg.graph import Hcfg, SubDnn
from rewriter import rewrite
from rewriter.program import TensorSpec

torch.manual_seed(0)
LINEAR, CELL, GRU = nn.Linear(6, 6), nn.LSTMCell(6, 6), nn.GRUCell(6, 6)
NORM, WORDS, CONVOLUTION = nn.LayerNorm(6), nn.Embedding(5, 6), nn.Conv2d(1, 2, 2)
BATCH_NORM = nn.BatchNorm2d(1).eval()
ATTENTION = nn.MultiheadAttention(6, 2, batch_first=True).eval()
FLOATS = (torch.randn(1, 6), torch.randn(1, 6))
INDEX = (torch.tensor([[1, 2, 0]]),)


def in_place(x: Tensor, y: Tensor) -> Tensor:
    z = torch.zeros(1, 6)
    z += LINEAR(x)
    z[:, 1] = y[:, 0]
    return z.mul_(2)


PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Tensor, ...]]] = {
    "elementwise": (lambda x, y: torch.tanh(x) * y + 0.5 - x.abs(), FLOATS),
    "ranks that differ": (lambda x, y: x + y[0] + LINEAR.bias, FLOATS),
    "layers": (lambda x, y: F.relu(LINEAR(torch.cat([x, y]))), FLOATS),
    "products": (lambda x, y: (x @ LINEAR.weight, x @ y.t(), torch.outer(x[0], y[0])), FLOATS),
    "cells": (lambda x, y: (*CELL(x, (y, x)), GRU(x, y)), FLOATS),
    "norms": (lambda x, y: NORM(x) + F.softmax(y, -1) + F.normalize(x), FLOATS),
    "reductions": (
        lambda x, y: (x.sum(), x.mean(1), y.max(1).values, y.argmax(1), x.var()),
        FLOATS,
    ),
    "shapes": (lambda x, y: (x.view(2, 3).t(), y.squeeze(0), torch.stack([x, y], 1)), FLOATS),
    "parts": (lambda x, y: (*torch.split(x, [1, 2, 3], 1), y[:, 1:4:2], x.flip(1)), FLOATS),
    "choices": (lambda x, y: torch.where(x > 0, x, y).clamp(-1, 1), FLOATS),
    "words": (lambda i: WORDS(i).sum(1), INDEX),
    "what is read": (lambda i: (LINEAR.weight[i], WORDS(i) @ WORDS.weight.T), INDEX),
    "pictures": (
        lambda x, y: F.max_pool2d(BATCH_NORM(CONVOLUTION((x * y).view(1, 1, 2, 3))[:, :1]), (1, 2)),
        FLOATS,
    ),
    "attention": (lambda x, y: ATTENTION(x[None], y[None], y[None])[0], FLOATS),
    "in place": (in_place, FLOATS),
    "constants": (lambda x, y: (x * 1, torch.ones(2), y * torch.arange(6)), FLOATS),
}


def only_subdnn(program: Callable[..., Any], inputs: tuple[Tensor, ...]) -> tuple[SubDnn, Hcfg]:
    graph = build_hcfg(rewrite(program, inputs))
    (node,) = [node for node in graph.nodes.values() if isinstance(node, SubDnn)]
    return node, graph


@pytest.mark.parametrize("size", [2, 5])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_batch_is_its_elements(name: str, size: int) -> None:
    program, inputs = PROGRAMS[name]
    node, graph = only_subdnn(program, inputs)
    made = of_batch(node, graph)
    assert made is not None
    rows = [tuple(_other(x, row) for x in inputs) for row in range(size)]
    with torch.no_grad():
        alone = [_listed(program(*row)) for row in rows]
        together = made(*(torch.stack(column) for column in zip(*rows, strict=True)))
    for found, expected in zip(together, zip(*alone, strict=True), strict=True):
        torch.testing.assert_close(found, torch.stack(expected), rtol=1e-4, atol=1e-5)


LOOKUPS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "embedding": lambda x, i: F.embedding(i, x * 2),
    "elements": lambda x, i: (x * 2)[i],
    "gather": lambda x, i: (x * 2).gather(0, i[:, None]),
    "index_copy": lambda x, i: (x * 2).index_copy(0, i, torch.ones(2, 3)),
    "index_fill": lambda x, i: (x * 2).index_fill(0, i, 7.0),
    "index_select": lambda x, i: (x * 2).index_select(0, i),
    "scatter": lambda x, i: (x * 2).scatter(0, i[:, None], 7.0),
    "take": lambda x, i: torch.take(x * 2, i),
}


@pytest.mark.parametrize("index", [-1, 4, 12, -5])
@pytest.mark.parametrize("name", LOOKUPS)
def test_no_index_finds_what_is_another_inputs(name: str, index: int) -> None:
    program = LOOKUPS[name]
    made = of_batch(*only_subdnn(program, (torch.ones(4, 3), torch.tensor([0, 1]))))
    assert made is not None
    tables, indices = torch.randn(3, 4, 3), torch.tensor([[0, 1], [1, index], [0, 2]])
    try:
        expected = torch.stack([program(*row) for row in zip(tables, indices, strict=True)])
    except (IndexError, RuntimeError):
        with pytest.raises((IndexError, RuntimeError)):
            made(tables, indices)
    else:
        torch.testing.assert_close(made(tables, indices)[0], expected)


def test_weights_are_the_users_own() -> None:
    made = of_batch(*only_subdnn(*PROGRAMS["layers"]))
    assert made is not None
    assert {id(weight) for weight in made.parameters()} == {id(LINEAR.weight), id(LINEAR.bias)}


def test_a_batch_of_run_time_sizes_is_refused() -> None:
    graph = build_hcfg(rewrite(lambda x: x[x > 0] * 2, (torch.ones(3),)))
    nodes = [node for node in graph.nodes.values() if isinstance(node, SubDnn)]
    assert nodes
    assert [of_batch(node, graph) for node in nodes] == [None] * len(nodes)


WORDS_LEFT = {0: torch.export.Dim("n", min=0, max=9)}
OF_ANY_SIZE: dict[str, Callable[..., Any]] = {
    "layers": lambda x: F.relu(LINEAR(x)) * 2,
    "sums": lambda x: (x.sum(0), x.mean(1), x.softmax(0)),
}


@pytest.mark.parametrize("size", [0, 1, 2, 5])
@pytest.mark.parametrize("name", OF_ANY_SIZE)
def test_a_batch_of_any_size_is_its_elements(name: str, size: int) -> None:
    program = OF_ANY_SIZE[name]
    graph = build_hcfg(rewrite(program, (torch.ones(3, 6),), dynamic_shapes={"x": WORDS_LEFT}))
    (node,) = [node for node in graph.nodes.values() if isinstance(node, SubDnn)]
    made = of_batch(node, graph)
    assert made is not None
    rows = torch.randn(3, size, 6)
    specs = [graph.variables[name].spec for name in node.inputs]
    given = [rows if isinstance(spec, TensorSpec) else size for spec in specs]
    with torch.no_grad():
        alone = [_listed(program(row)) for row in rows]
        together = made(*given)
    for found, expected in zip(together, zip(*alone, strict=True), strict=True):
        torch.testing.assert_close(found, torch.stack(expected), rtol=1e-4, atol=1e-5)


def test_a_batch_checks_what_one_input_does() -> None:
    """PyTorch's rules for batches leave out that the labels of ``one_hot`` are classes."""
    assert of_batch(*only_subdnn(lambda i: F.one_hot(i, 5), INDEX)) is None


def test_inputs_stay_as_they_are() -> None:
    made = of_batch(*only_subdnn(lambda x, y: x.add_(y), FLOATS))
    assert made is not None
    x, y = torch.ones(3, 1, 6), torch.ones(3, 1, 6)
    (result,) = made(x, y)
    assert result.eq(2).all()
    assert x.eq(1).all()


def _other(x: Tensor, row: int) -> Tensor:
    return x * (row - 1.5) if x.is_floating_point() else (x + row) % 5


def _listed(result: Any) -> list[Tensor]:
    return [result] if isinstance(result, Tensor) else list(result)
