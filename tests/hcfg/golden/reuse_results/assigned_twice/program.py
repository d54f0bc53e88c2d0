"""Equal text is not enough: an operand with another value by now gives another result."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, branch, copy, give, host, tensor


def draft() -> Draft:
    torch.manual_seed(0)
    draft = Draft(
        tensors=dict.fromkeys(["x", "y", "first", "second", "z"], (1, 4)),
        knowns={"fc": nn.Linear(4, 4)},
        numbers=["p"],
    )
    draft.block(
        0,
        copy(y="x"),
        tensor("first", "fc(y)"),
        tensor("y", "y + 1"),
        host("p", "first[0, 0].item()"),
        end=branch("p > 0.0", 1, 2),
    )
    draft.block(1, tensor("second", "fc(y)"), end=give("second"))
    draft.block(2, tensor("z", "fc(x) + first"), end=give("z"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.full((1, 4), number),) for number in (-5.0, 5.0)]
