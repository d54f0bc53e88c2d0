"""A recursive model at every stage: the rewritten program, the graph and the host module."""

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from codegen_host.forward_text import forward_text
from hcfg.build import build_hcfg
from hcfg.dump import dump
from hcfg.interpret import interpret
from hcfg.passes import run_passes
from rewriter import rewrite
from rewriter.program import RewrittenProgram
from tests.golden import check_golden

GOLDEN = Path(__file__).parent / "golden" / "recursion"


class Folding(nn.Module):
    """Halves a sequence until it is calm; says how often, and gives up after ``left`` times."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.cell = nn.Linear(4, 4)

    def fold(self, x: Tensor, left: int) -> tuple[Tensor, int] | None:
        if x.abs().max() < 0.5:
            return x, 0
        if left == 0:
            return None
        found = self.fold(self.cell(x) * 0.5, left - 1)
        if found is None:
            return None
        return found[0] + x, found[1] + 1

    def forward(self, x: Tensor, left: int) -> tuple[Tensor, int]:
        found = self.fold(x, left)
        return (x * 0, -1) if found is None else found


def program() -> RewrittenProgram:
    return rewrite(Folding(), (torch.ones(2, 4), 3))


def stages() -> dict[str, str]:
    made = program()
    graph = run_passes(build_hcfg(made)).graph
    return {
        "rewritten.txt": made.source,
        "graph.txt": dump(graph),
        "host.txt": forward_text(graph, "Folding.forward", "0").text,
    }


@pytest.mark.parametrize("name", ["rewritten.txt", "graph.txt", "host.txt"])
def test_stage(name: str, update_golden: bool) -> None:
    check_golden(GOLDEN / name, stages()[name], update_golden)


@pytest.mark.parametrize("left", [0, 1, 5])
@pytest.mark.parametrize("scale", [0.1, 1.0, 8.0])
def test_the_graph_computes_the_same(scale: float, left: int) -> None:
    model, x = Folding(), torch.ones(2, 4) * scale
    graph = run_passes(build_hcfg(rewrite(model, (torch.ones(2, 4), 3)))).graph
    with torch.no_grad():
        expected, expected_count = model(x, left)
    found = interpret(graph, x, left)
    assert isinstance(found, tuple)
    assert found[1] == expected_count
    assert torch.equal(found[0], expected)
