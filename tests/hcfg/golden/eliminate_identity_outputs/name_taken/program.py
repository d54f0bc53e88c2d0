"""A copy stays where the names are needed for other values inside the sub-DNN."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, give, tensor


def draft() -> Draft:
    draft = Draft(
        tensors=dict.fromkeys("xyz", (1, 4)), knowns={"same": nn.Identity()}, arguments="xy"
    )
    draft.block(
        0,
        tensor("z", "same(x)"),
        tensor("x", "same(y)"),
        tensor("y", "same(z)"),
        tensor("z", "x - y"),
        end=give("(x, y, z)"),
    )
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.randn(1, 4), torch.randn(1, 4))]
