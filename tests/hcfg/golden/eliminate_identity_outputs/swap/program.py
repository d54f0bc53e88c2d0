"""Two variables that exchange their tensors are exchanged on the host."""

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
        end=give("(x, y)"),
    )
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.randn(1, 4), torch.randn(1, 4))]
