"""Specialised functions in a graph: built, checked, run, swept, drawn and written by hand."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from codegen_host.forward_text import forward_text
from hcfg.build import build_hcfg
from hcfg.draw.dot import to_dot
from hcfg.dump import dump
from hcfg.graph import Hcfg
from hcfg.interpret import Interpreter, interpret
from hcfg.passes import run_passes
from hcfg.verify import verify
from rewriter.diagnostics import DyclBug
from rewriter.printing.program_text import runnable
from rewriter.program import RewrittenProgram
from tests.hcfg.programs import Draft, branch, call, fail, give, host, jump, tensor

gate = nn.Linear(4, 4)
SHAPES = {"x": (1, 4), "y": (1, 4), "z": (1, 4)}


class Owner:
    gate = gate


def recursive() -> RewrittenProgram:
    """``forward(x, n): again(x, n) + 1`` where ``again`` applies the gate ``n`` times."""
    draft = Draft(tensors=SHAPES, numbers=["n"], knowns={"gate": gate}, arguments=("x", "n"))
    draft.block(0, call("y", "again", "x", "n"), tensor("z", "y + 1"), end=give("z"))
    shapes = {"h": (1, 4), "g": (1, 4), "r": (1, 4)}
    inner = Draft(tensors=shapes, numbers=["m", "k"], knowns={}, arguments=("h", "m"), line=10)
    inner.block(0, end=branch("m <= 0", 1, 2))
    inner.block(1, end=branch("m < 0", 3, 4))
    inner.block(2, tensor("g", "gate(h)"), host("k", "m - 1"), call("r", "again", "g", "k"),
                end=give("r"))  # fmt: skip
    inner.block(3, end=fail("ValueError('negative')"))
    inner.block(4, end=give("h"))
    function = replace(inner.program().entry, name="again")
    return replace(draft.program(), functions={"again": function})


def graph() -> Hcfg:
    return build_hcfg(recursive())


def expected(x: torch.Tensor, times: int) -> torch.Tensor:
    for _ in range(times):
        x = gate(x)
    return x + 1


@pytest.mark.parametrize("times", [0, 1, 5])
def test_a_recursive_graph_runs(times: int) -> None:
    x = torch.randn(1, 4)
    for each in (graph(), run_passes(graph()).graph):
        assert torch.equal(interpret(each, x, times), expected(x, times))  # type: ignore[arg-type]


def test_an_exception_leaves_all_calls() -> None:
    with pytest.raises(ValueError, match="negative"):
        interpret(graph(), torch.randn(1, 4), -1)


def test_calls_are_part_of_the_path() -> None:
    path: list[str] = []
    Interpreter(graph=graph()).call([torch.randn(1, 4), 2], path=path)
    assert path.count("entry_again") == 3


def test_the_rewritten_program_runs() -> None:
    x = torch.randn(1, 4)
    assert torch.equal(runnable(recursive(), Owner())(x, 3), expected(x, 3))  # type: ignore[arg-type]


def test_the_text_of_all_formats() -> None:
    text = dump(graph())
    assert "entry_again(h: float32[1, 4], m: float):" in text
    assert "y = again(x, n)" in text
    assert 'subgraph "cluster_again" {' in to_dot(graph())
    module = forward_text(graph(), "Net.forward", "0").text
    assert "def again(h, m):" in module
    assert "r = again(g, k)" in module


def test_a_function_that_nobody_calls_is_dropped() -> None:
    program = recursive()
    draft = Draft(tensors=SHAPES, numbers=["n"], knowns={"gate": gate}, arguments=("x", "n"))
    draft.block(0, end=branch("False", 1, 2))
    draft.block(1, call("y", "again", "x", "n"), end=jump(2))
    draft.block(2, tensor("z", "x + 1"), end=give("z"))
    plain = build_hcfg(replace(program, entry=draft.program().entry))
    assert list(run_passes(plain).graph.functions) == []


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (lambda g: replace(g, functions={}), "second entry|does not exist|cannot be reached"),
        (
            lambda g: replace(
                g, functions={"again": replace(g.functions["again"], parameters=("h",))}
            ),
            "with 2 arguments",
        ),
        (
            lambda g: replace(g, functions={"again": replace(g.functions["again"], entry="entry")}),
            "share a node|second entry",
        ),
    ],
)
def test_broken_calls_are_found(broken, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DyclBug, match=message):
        verify(broken(graph()))
