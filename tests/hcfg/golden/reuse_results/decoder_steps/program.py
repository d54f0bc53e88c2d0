"""The second step takes the keys from the first; a step on another way computes its own."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, branch, give, host, tensor


def draft() -> Draft:
    torch.manual_seed(0)
    names = ["x", "half", "keys", "h", "half_2", "keys_2", "h_2", "half_3", "keys_3", "h_3"]
    draft = Draft(
        tensors=dict.fromkeys(names, (1, 4)),
        knowns={"keys_of": nn.Linear(4, 4), "torch": torch},
        numbers=["p", "q"],
    )
    draft.block(0, host("p", "x[0, 0].item()"), end=branch("p > 0.0", 1, 4))
    draft.block(
        1,
        tensor("half", "x * 0.5"),
        tensor("keys", "keys_of(half)"),
        tensor("h", "keys + x"),
        host("q", "h[0, 0].item()"),
        end=branch("q > 1.0", 2, 3),
    )
    draft.block(2, end=give("h"))
    draft.block(
        3,
        tensor("half_2", "x * 0.5"),
        tensor("keys_2", "keys_of(half_2)"),
        tensor("h_2", "keys_2 + h + half_2"),
        end=give("h_2"),
    )
    draft.block(
        4,
        tensor("half_3", "x * 0.5"),
        tensor("keys_3", "keys_of(half_3)"),
        tensor("h_3", "keys_3 + half_3"),
        end=give("h_3"),
    )
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.full((1, 4), number),) for number in (-1.0, 0.1, 9.0)]
