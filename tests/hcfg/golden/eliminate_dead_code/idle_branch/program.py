"""A branch whose arms do nothing goes, and with it what it was computed from."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, branch, give, host, jump, tensor


def draft() -> Draft:
    draft = Draft(
        tensors=dict.fromkeys("xyz", (1, 4)), knowns={"fc": nn.Linear(4, 4)}, numbers=["p", "q"]
    )
    draft.block(0, tensor("y", "fc(x)"), host("p", "x.sum().item()"), end=branch("p > 0.0", 1, 2))
    draft.block(1, tensor("z", "y * 2"), end=jump(3))
    draft.block(2, host("q", "p * 2.0"), end=jump(3))
    draft.block(3, end=give("y"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.full((1, 4), 2.0),), (torch.full((1, 4), -2.0),)]
