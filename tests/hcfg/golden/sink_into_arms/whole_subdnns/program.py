"""A sub-DNN that moves as a whole takes its call along; a loop leaves to its exit what it can."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, branch, copy, give, host, jump, tensor


def draft() -> Draft:
    torch.manual_seed(0)
    draft = Draft(
        tensors=dict.fromkeys(["x", "y", "h", "step", "seen", "out"], (1, 4)),
        knowns={"one": nn.Linear(4, 4), "other": nn.Linear(4, 4), "torch": torch},
        numbers=["p", "n"],
    )
    draft.block(0, host("p", "x[0, 0].item()"), tensor("y", "one(x)"), end=branch("p > 0.0", 1, 2))
    draft.block(1, end=give("y"))
    draft.block(2, copy(h="x", n="0.0"), end=jump(3))
    draft.block(
        3,
        tensor("step", "torch.tanh(other(h))"),
        tensor("seen", "one(step)"),
        copy(h="step"),
        host("n", "n + 1.0"),
        host("p", "step[0, 1].item()"),
        end=branch("p > 0.0 or n > 3.0", 4, 3),
    )
    draft.block(4, tensor("out", "seen * 2"), end=give("out"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    generator = torch.Generator().manual_seed(0)
    return [(torch.randn(1, 4, generator=generator) * 4,) for _ in range(12)]
