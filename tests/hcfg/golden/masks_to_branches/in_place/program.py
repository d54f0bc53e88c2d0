"""The product and the sum are written into what the layers gave, and so is what follows."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, give, tensor


def draft() -> Draft:
    torch.manual_seed(0)
    draft = Draft(
        tensors={
            **dict.fromkeys(["x", "out", "part", "sum", "y"], (1, 4)),
            **dict.fromkeys(["first", "gate", "mask"], (1, 1)),
        },
        knowns={"one": nn.Linear(4, 4), "torch": torch},
    )
    draft.block(
        0,
        tensor("first", "x[:, :1]"),
        tensor("gate", "first > 0"),
        tensor("mask", "torch.where(gate, 1.0, 0.0)"),
        tensor("out", "one(x)"),
        tensor(None, "out.mul_(mask)", updates={"part": "out"}),
        tensor(None, "part.add_(x)", updates={"sum": "part"}),
        tensor(None, "sum.relu_()", updates={"y": "sum"}),
        end=give("y"),
    )
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    generator = torch.Generator().manual_seed(0)
    ordinary = [torch.randn(1, 4, generator=generator) for _ in range(8)]
    special = [torch.tensor([[-1.0, 2.0, 0.5, value]]) for value in (1e38, torch.inf, torch.nan)]
    return [(x,) for x in (*ordinary, *special)]
