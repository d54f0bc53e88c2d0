"""Outputs nobody reads go, with the code that only they needed, here and upstream."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, branch, give, host, tensor


def draft() -> Draft:
    draft = Draft(
        tensors=dict.fromkeys("xyzw", (1, 4)), knowns={"fc": nn.Linear(4, 4)}, numbers=["p", "q"]
    )
    draft.block(
        0,
        tensor("y", "fc(x)"),
        tensor("z", "y * 2"),
        host("p", "y.sum().item()"),
        host("q", "p + 1.0"),
        end=branch("p > 0.0", 1, 2),
    )
    draft.block(1, tensor("w", "fc(z)"), end=give("y"))
    draft.block(2, tensor("w", "z - 1"), host("q", "q * 2.0"), end=give("x"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.full((1, 4), 9.0),), (torch.full((1, 4), -9.0),)]
