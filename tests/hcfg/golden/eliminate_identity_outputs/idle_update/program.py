"""An in-place dropout in evaluation mode updates nothing; an in-place ReLU does."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, give, tensor


def draft() -> Draft:
    knowns = {"drop": nn.Dropout(inplace=True).eval(), "relu": nn.ReLU(inplace=True)}
    draft = Draft(
        tensors=dict.fromkeys(["x", "y", "x1", "y1"], (1, 4)), knowns=knowns, arguments="xy"
    )
    draft.block(
        0,
        tensor(None, "drop(x)", updates={"x1": "x"}),
        tensor(None, "relu(y)", updates={"y1": "y"}),
        end=give("(x1, y1)"),
    )
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.randn(1, 4), torch.randn(1, 4))]
