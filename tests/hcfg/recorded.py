"""Small programs whose tensor code is recorded."""

import torch
from torch import nn

from hcfg.graph import SubDnn
from hcfg.recording import Recording, record
from rewriter.program import Statement
from tests.hcfg.programs import Draft, give, tensor

SHAPES: dict[str, tuple[int | str, ...]] = {
    **dict.fromkeys(["x", "y", "z", "w", "x1", "y1", "z1"], (2, 4)),
    "r": (4,),
    "r1": (4,),
    "s": (),
}


def draft_of(*statements: Statement, result: str, **knowns: object) -> Draft:
    draft = Draft(tensors=SHAPES, knowns={"torch": torch, **knowns}, numbers=["p"])
    draft.block(0, *statements, end=give(result))
    return draft


def record_of(*statements: Statement, result: str, **knowns: object) -> Recording:
    graph = draft_of(*statements, result=result, **knowns).graph()
    node = graph.nodes["subdnn_0"]
    assert isinstance(node, SubDnn)
    return record("subdnn_0", node, graph)


def structure_of(module: nn.Module) -> str:
    return record_of(tensor("y", "net(x)"), result="y", net=module).structure
