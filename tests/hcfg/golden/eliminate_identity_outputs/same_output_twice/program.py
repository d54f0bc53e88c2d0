"""An output that is another output is assigned on the host."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, give, tensor


def draft() -> Draft:
    knowns = {"drop": nn.Dropout().eval(), "fc": nn.Linear(4, 4)}
    draft = Draft(tensors=dict.fromkeys("xyz", (1, 4)), knowns=knowns)
    draft.block(0, tensor("y", "fc(x)"), tensor("z", "drop(y)"), end=give("(y, z)"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.arange(4.0).reshape(1, 4),)]
