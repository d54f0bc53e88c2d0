"""A copy of an input that the sub-DNN gives a new value is taken before it runs."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, give, tensor


def draft() -> Draft:
    knowns = {"same": nn.Identity(), "fc": nn.Linear(4, 4)}
    draft = Draft(tensors=dict.fromkeys(["x", "before"], (1, 4)), knowns=knowns)
    draft.block(0, tensor("before", "same(x)"), tensor("x", "fc(x)"), end=give("(before, x)"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.arange(4.0).reshape(1, 4),)]
