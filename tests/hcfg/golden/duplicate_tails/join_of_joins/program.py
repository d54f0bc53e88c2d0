"""A tail goes on into the arms of an inner join; an arm without tensor code shares the original."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, branch, copy, give, host, jump, tensor


def draft() -> Draft:
    torch.manual_seed(0)
    draft = Draft(
        tensors=dict.fromkeys(["x", "a", "b", "c", "y"], (1, 4)),
        knowns={"one": nn.Linear(4, 4), "other": nn.Linear(4, 4), "last": nn.Linear(4, 4)},
        numbers=["p"],
    )
    draft.block(0, host("p", "x[0, 0].item()"), end=branch("p > 0.0", 1, 5))
    draft.block(1, end=branch("p > 1.0", 2, 3))
    draft.block(2, tensor("a", "one(x)"), copy(b="a"), end=jump(4))
    draft.block(3, tensor("a", "other(x)"), copy(b="a"), end=jump(4))
    draft.block(4, copy(c="b"), end=jump(6))
    draft.block(5, copy(c="x"), end=jump(6))
    draft.block(6, tensor("y", "last(c)"), end=give("y"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.full((1, 4), number),) for number in (-1.0, 0.5, 2.0)]
