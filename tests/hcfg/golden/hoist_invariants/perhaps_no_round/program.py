"""A loop that may run no round keeps its code; so does a result that is written in place."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, branch, copy, give, host, jump, tensor


def draft() -> Draft:
    torch.manual_seed(0)
    draft = Draft(
        tensors=dict.fromkeys(["x", "half", "keys", "h", "h_2"], (1, 4)),
        knowns={"keys_of": nn.Linear(4, 4), "torch": torch},
        numbers=["p", "n"],
    )
    draft.block(0, copy(h="x"), host("n", "x[0, 1].item()"), end=jump(1))
    draft.block(1, end=branch("n < 3.0", 2, 3))
    draft.block(
        2,
        tensor("keys", "keys_of(x)"),
        tensor("h", "torch.tanh(keys + h)"),
        host("n", "n + 1.0"),
        end=jump(1),
    )
    draft.block(3, copy(n="0.0"), end=jump(4))
    draft.block(
        4,
        tensor("half", "keys_of(x)"),
        tensor(None, "half.relu_()", updates={"h_2": "half"}),
        tensor("h", "h + h_2"),
        host("p", "h[0, 0].item()"),
        host("n", "n + 1.0"),
        end=branch("p > 0.5 or n > 2.0", 5, 4),
    )
    draft.block(5, end=give("h"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.full((1, 4), number),) for number in (1.0, 5.0)]
