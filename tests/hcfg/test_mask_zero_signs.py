"""Sums with a mask whose zeros may change their sign: only where nothing can tell."""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from hcfg.graph import Branch, Hcfg
from hcfg.passes.masks_to_branches import MasksToBranches
from hcfg.report import Report
from rewriter.program import Statement
from tests.hcfg.programs import Draft, branch, give, host, jump, tensor

Tail = Callable[[Tensor], Tensor]
LINEAR = nn.Linear(4, 4)

BLIND: dict[str, Tail] = {
    "layers": lambda y: F.relu(LINEAR(y)),
    "norm": lambda y: F.layer_norm(y, (4,)).abs().sqrt(),
    "logarithm of a softmax": lambda y: y.log_softmax(-1),
    "comparison": lambda y: (y >= 0).float().reciprocal(),
    "divided": lambda y: y / 3.0,
    "divided by something else": lambda y: y / (y.sigmoid() + 1),
}

SEEING: dict[str, Tail] = {
    "divisor": lambda y: 1 / y,
    "reciprocal": lambda y: F.relu(y).reciprocal(),
    "divided by a view": lambda y: LINEAR(y) / y.t(),
    "power": lambda y: y**-1,
    "root": lambda y: y.rsqrt(),
    "sign bit": lambda y: y.signbit().float(),
    "sign of another": lambda y: torch.copysign(torch.ones_like(y), y),
    "angle": lambda y: torch.atan2(y, -torch.ones_like(y)),
    "bits": lambda y: y.view(torch.int32).float(),
    "order of bits": lambda y: y.sort().values,
    "written into what is divided by": lambda y: 1 / torch.ones(4, 4).copy_(y),
    "written into a view of what is divided by": lambda y: _through_a_view(y),
}


def _through_a_view(y: Tensor) -> Tensor:
    whole = torch.ones(4, 4)
    part = whole[:2]
    part.copy_(y[:2])
    return 1 / whole


def draft_of(*after: Statement, **knowns: object) -> Draft:
    draft = Draft(
        tensors=dict.fromkeys(["x", "gate", "mask", "out", "part", "y", "z"], (4, 4)),
        knowns={"one": LINEAR, **knowns},
        numbers=["p"],
    )
    start = (
        tensor("gate", "x > 0"),
        tensor("mask", "gate.float()"),
        tensor("out", "one(x)"),
        tensor("part", "out * mask"),
        tensor("y", "x + part"),
    )
    draft.block(0, *start, *after, end=jump(1))
    return draft


def branches(graph: Hcfg) -> int:
    after = MasksToBranches().run(graph, Report())
    return sum(isinstance(node, Branch) for node in after.nodes.values())


@pytest.mark.parametrize("name", BLIND)
def test_what_cannot_tell(name: str) -> None:
    draft = draft_of(tensor("z", "tail(y)"), tail=BLIND[name])
    draft.block(1, end=give("z"))
    assert branches(draft.graph()) == 1


@pytest.mark.parametrize("name", SEEING)
def test_what_can_tell(name: str) -> None:
    draft = draft_of(tensor("z", "tail(y)"), tail=SEEING[name])
    draft.block(1, end=give("z"))
    assert branches(draft.graph()) == 0


def test_result_may_be_returned() -> None:
    draft = draft_of()
    draft.block(1, end=give("[y, (x, y)]"))
    assert branches(draft.graph()) == 1


def test_host_may_look() -> None:
    draft = draft_of(host("p", "y[0, 0].item()"))
    draft.block(1, end=branch("1.0 / p > 0.0", 2, 3))
    draft.block(2, end=give("x"))
    draft.block(3, end=give("y"))
    assert branches(draft.graph()) == 1  # the program's own


def test_another_subdnn_may_look() -> None:
    draft = draft_of(host("p", "x[0, 0].item()"))
    draft.block(1, end=branch("p > 0.0", 2, 3))
    draft.block(2, tensor("z", "1 / y"), end=give("z"))
    draft.block(3, end=give("y"))
    assert branches(draft.graph()) == 1  # the program's own
