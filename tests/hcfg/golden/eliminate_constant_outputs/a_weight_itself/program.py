"""An output that is a tensor of the model is that tensor; one written to later is not."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, give, tensor


def draft() -> Draft:
    knowns = {"start": nn.Parameter(torch.randn(1, 4)), "torch": torch}
    draft = Draft(tensors=dict.fromkeys(["x", "y", "z", "z1"], (1, 4)), knowns=knowns)
    draft.block(
        0,
        tensor("y", "start"),
        tensor("z", "torch.zeros(1, 4)"),
        tensor(None, "z.copy_(x)", updates={"z1": "z"}),
        end=give("(y, z1)"),
    )
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.arange(4.0).reshape(1, 4),)]
