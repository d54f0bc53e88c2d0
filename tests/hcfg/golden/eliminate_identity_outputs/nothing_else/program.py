"""A sub-DNN that only copies vanishes."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, branch, give, host, jump, tensor


def draft() -> Draft:
    draft = Draft(
        tensors=dict.fromkeys("xy", (1, 4)), knowns={"same": nn.Identity()}, numbers=["p"]
    )
    draft.block(0, host("p", "x[0, 0].item()"), end=branch("p > 0.0", 1, 2))
    draft.block(1, tensor("y", "same(x)"), end=jump(3))
    draft.block(2, tensor("y", "-x"), end=jump(3))
    draft.block(3, end=give("y"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.full((1, 4), 2.0),), (torch.full((1, 4), -2.0),)]
