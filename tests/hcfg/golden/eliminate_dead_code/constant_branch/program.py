"""A branch on a constant always goes one way; a loop entered never is no loop."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, branch, give, jump, tensor

UNREACHED = {"subdnn_1"}


def draft() -> Draft:
    draft = Draft(
        tensors=dict.fromkeys("xy", (1, 4)), knowns={"fc": nn.Linear(4, 4)}, numbers=["p"]
    )
    draft.block(0, end=branch("True", 1, 2))
    draft.block(1, tensor("y", "fc(x)"), end=branch("False", 1, 3))
    draft.block(2, tensor("y", "x * 2"), end=jump(3))
    draft.block(3, end=give("y"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.arange(4.0).reshape(1, 4),)]
