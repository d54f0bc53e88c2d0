"""A tail that writes in place what the arm has returned before keeps its call."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, branch, copy, give, host, jump, tensor


def draft() -> Draft:
    torch.manual_seed(0)
    draft = Draft(
        tensors=dict.fromkeys(["x", "kept", "y", "z"], (1, 4)),
        knowns={"fc": nn.Linear(4, 4)},
        numbers=["p"],
    )
    draft.block(0, host("p", "x[0, 0].item()"), end=branch("p > 0.0", 1, 2))
    draft.block(1, tensor("y", "fc(x)"), copy(kept="y"), end=jump(3))
    draft.block(2, copy(y="x", kept="x"), end=jump(3))
    draft.block(3, tensor(None, "y.relu_()", updates={"z": "y"}), end=give("(z, kept)"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.full((1, 4), number),) for number in (-1.0, 2.0)]
