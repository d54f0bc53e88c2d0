"""A policy decides about two layers before the first runs; its numbers come with it."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, branch, give, host, jump, tensor


def draft() -> Draft:
    torch.manual_seed(0)
    draft = Draft(
        tensors={
            **dict.fromkeys(["x", "policy"], (1, 4)),
            **dict.fromkeys(["part", "test", "test_1"], (1,)),
        },
        knowns={"decide": nn.Linear(4, 4), "one": nn.Linear(4, 4), "other": nn.Linear(4, 4)},
        numbers=["p", "q"],
    )
    draft.block(
        0,
        tensor("policy", "decide(x)"),
        tensor("test", "(policy[:, 0] > 0.0).float()"),
        host("p", "test.item()"),
        end=branch("p > 0.0", 1, 2),
    )
    draft.block(1, tensor("x", "one(x)"), end=jump(2))
    draft.block(
        2,
        tensor("part", "policy[:, 1]"),
        tensor("test_1", "(part > 0.0).float()"),
        host("q", "test_1.item()"),
        end=branch("q > 0.0", 3, 4),
    )
    draft.block(3, tensor("x", "other(x)"), end=jump(4))
    draft.block(4, end=give("x"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    generator = torch.Generator().manual_seed(0)
    return [(torch.randn(1, 4, generator=generator) * 4,) for _ in range(8)]
