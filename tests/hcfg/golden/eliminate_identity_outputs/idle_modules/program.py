"""Dropout in evaluation mode, nn.Identity and a view of the same shape copy their input."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, give, tensor


def draft() -> Draft:
    knowns = {"drop": nn.Dropout().eval(), "same": nn.Identity(), "fc": nn.Linear(4, 4)}
    draft = Draft(tensors=dict.fromkeys("xabcd", (1, 4)), knowns=knowns)
    draft.block(
        0,
        tensor("a", "drop(x)"),
        tensor("b", "same(a)"),
        tensor("c", "b.view(1, 4)"),
        tensor("d", "fc(c)"),
        end=give("(a, b, c, d)"),
    )
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.arange(4.0).reshape(1, 4),)]
