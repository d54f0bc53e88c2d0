"""The first state of a recurrent gate is known; what is computed from the input is not."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, branch, give, host, tensor


def draft() -> Draft:
    draft = Draft(
        tensors=dict.fromkeys(["x", "state", "ones", "y"], (1, 4)),
        knowns={"torch": torch, "fc": nn.Linear(4, 4)},
        numbers=["p"],
    )
    draft.block(
        0,
        tensor("state", "torch.zeros(1, 4)"),
        tensor("ones", "state + 1.0"),
        tensor("y", "fc(x) + state"),
        host("p", "x[0, 0].item()"),
        end=branch("p > 0.0", 1, 2),
    )
    draft.block(1, tensor("y", "y + state"), end=give("(y, ones)"))
    draft.block(2, tensor("y", "y - state"), end=give("(y, state)"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.full((1, 4), 2.0),), (torch.full((1, 4), -2.0),)]
