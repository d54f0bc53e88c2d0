"""What stays: what both arms need, may raise, is cheap, costs a call, stands before a write."""

from dataclasses import replace

import torch
from torch import nn

from tests.hcfg.programs import Draft, branch, copy, give, host, jump, tensor


def draft() -> Draft:
    torch.manual_seed(0)
    names = ["x", "y", "both", "risky", "cheap", "late", "early", "h", "h_2", "again", "alone"]
    draft = Draft(
        tensors=dict.fromkeys([*names, "one_more", "joined", "end"], (1, 4)),
        knowns={"one": nn.Linear(4, 4), "other": nn.Linear(4, 4)},
        numbers=["p", "q"],
    )
    draft.block(
        0,
        tensor("y", "one(x)"),
        tensor("both", "other(y)"),
        replace(tensor("risky", "one(x * 3)"), may_raise=True),
        tensor("cheap", "y * 2"),
        host("p", "y[0, 0].item()"),
        end=branch("p > 0.0", 1, 2),
    )
    draft.block(1, tensor("late", "both + risky + cheap"), end=give("late"))
    draft.block(
        2,
        tensor("h", "x * 2"),
        tensor("early", "one(h)"),
        tensor(None, "h.relu_()", updates={"h_2": "h"}),
        tensor("again", "other(both)"),
        host("q", "h_2[0, 1].item()"),
        copy(both="x"),
        end=branch("q > 2.0", 3, 4),
    )
    draft.block(3, tensor("late", "early + again + both"), end=give("late"))
    draft.block(
        4,
        tensor("alone", "one(h_2)"),
        tensor("joined", "other(h_2)"),
        host("q", "h_2[0, 2].item()"),
        tensor("one_more", "h_2 - x"),
        end=branch("q > 0.0", 5, 6),
    )
    draft.block(5, end=give("(alone, one_more)"))
    draft.block(6, host("p", "one_more[0, 0].item()"), end=branch("p > 2.0", 7, 8))
    draft.block(7, tensor("joined", "joined * 2"), end=jump(8))
    draft.block(8, tensor("end", "joined + x"), end=give("end"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    generator = torch.Generator().manual_seed(0)
    return [(torch.randn(1, 4, generator=generator) * 4,) for _ in range(200)]
