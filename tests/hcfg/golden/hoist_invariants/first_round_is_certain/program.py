"""A count of rounds that is known runs the first one: its test comes before the tensor code."""

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
    draft.block(0, copy(h="x", n="0.0"), end=jump(1))
    draft.block(1, end=branch("n < 3.0", 2, 4))
    draft.block(
        2,
        tensor("keys", "keys_of(x)"),
        tensor("h", "torch.tanh(keys + h)"),
        host("n", "n + 1.0"),
        host("p", "h[0, 0].item()"),
        end=branch("p > 0.5", 3, 1),
    )
    draft.block(3, end=give("h"))
    draft.block(4, end=give("(h, n)"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    torch.manual_seed(1)
    return [(3 * torch.randn(1, 4),) for _ in range(8)]
