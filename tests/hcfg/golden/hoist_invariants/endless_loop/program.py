"""Keys of what no round changes are computed once; what is cheap stays where it is needed."""

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
    draft.block(
        1,
        tensor("half", "x * 0.5"),
        tensor("keys", "keys_of(half)"),
        tensor("h", "torch.tanh(keys + h + half)"),
        host("p", "h[0, 0].item()"),
        host("n", "n + 1.0"),
        end=branch("p > 0.5 or n > 4.0", 2, 1),
    )
    draft.block(2, end=give("(h, n, keys)"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.full((1, 4), number),) for number in (-1.0, 1.0)]
