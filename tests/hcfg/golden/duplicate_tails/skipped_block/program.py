"""The arm that runs a block computes the next gate too, in one call; the other only the gate."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, branch, copy, give, host, jump, tensor


def draft() -> Draft:
    torch.manual_seed(0)
    draft = Draft(
        tensors=dict.fromkeys(["x", "h", "out", "y", "gate", "next_gate"], (1, 4)),
        knowns={"first": nn.Linear(4, 4), "block": nn.Linear(4, 4), "judge": nn.Linear(4, 4)},
        numbers=["p", "q"],
    )
    draft.block(
        0,
        tensor("h", "first(x)"),
        tensor("gate", "judge(h)"),
        host("p", "gate[0, 0].item()"),
        end=branch("p > 0.0", 1, 2),
    )
    draft.block(1, tensor("out", "block(h)"), copy(y="out"), end=jump(3))
    draft.block(2, copy(y="h"), end=jump(3))
    draft.block(
        3,
        tensor("next_gate", "judge(y)"),
        host("q", "next_gate[0, 0].item() + x[0, 3].item() * 10.0"),
        end=branch("q > 0.0", 4, 5),
    )
    draft.block(4, end=give("y"))
    draft.block(5, end=give("x"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    rows = [*torch.eye(4), *-torch.eye(4)]
    return [(3 * row[None],) for row in rows]
