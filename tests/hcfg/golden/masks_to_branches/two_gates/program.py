"""Two layers that masks made by a comparison and by scatter multiply; the second reads the sum."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, give, tensor


def draft() -> Draft:
    torch.manual_seed(0)
    draft = Draft(
        tensors={
            **dict.fromkeys(["x", "y", "out", "part", "sum", "policy", "hard", "product"], (1, 4)),
            "extra": (1, 4),
            **dict.fromkeys(["first", "gate", "mask", "second"], (1, 1)),
            "best": (1, 1),
        },
        integers=["best"],
        knowns={"one": nn.Linear(4, 4), "other": nn.Linear(4, 4), "torch": torch},
    )
    draft.block(
        0,
        tensor("first", "x[:, :1]"),
        tensor("gate", "first > 0"),
        tensor("mask", "gate.float()"),
        tensor("out", "one(x)"),
        tensor("part", "out * mask"),
        tensor("sum", "x + part"),
        tensor("best", "sum.argmax(1, keepdim=True)"),
        tensor("policy", "torch.zeros_like(sum)"),
        tensor("hard", "policy.scatter(1, best, 1)"),
        tensor("second", "hard[:, 1:2]"),
        tensor("extra", "other(sum)"),
        tensor("product", "second * extra"),
        tensor("y", "product + sum"),
        end=give("(y, hard)"),
    )
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    generator = torch.Generator().manual_seed(0)
    ordinary = [torch.randn(1, 4, generator=generator) for _ in range(8)]
    special = [torch.tensor([[-1.0, 2.0, 0.5, value]]) for value in (1e38, torch.inf, torch.nan)]
    return [(x,) for x in (*ordinary, *special)]
