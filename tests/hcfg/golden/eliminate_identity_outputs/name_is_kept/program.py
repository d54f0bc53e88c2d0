"""``x = dropout(x)`` goes although ``x`` is read inside and after the sub-DNN."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, give, tensor


def draft() -> Draft:
    knowns = {"drop": nn.Dropout().eval(), "fc": nn.Linear(4, 4)}
    draft = Draft(tensors=dict.fromkeys("xy", (1, 4)), knowns=knowns)
    draft.block(0, tensor("x", "drop(x)"), tensor("y", "fc(x)"), end=give("(x, y)"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.arange(4.0).reshape(1, 4),)]
