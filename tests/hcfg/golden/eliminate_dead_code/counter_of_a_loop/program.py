"""A variable that only counts itself goes; effects and the loop stay."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, branch, give, host, jump, tensor


def draft() -> Draft:
    draft = Draft(
        tensors={"x": (1, 4)},
        knowns={"fc": nn.Linear(4, 4), "append": [].append},
        numbers=["i", "p", "n"],
    )
    draft.block(0, host("i", "0.0"), host("n", "0.0"), end=jump(1))
    draft.block(1, end=branch("i < 3.0", 2, 3))
    draft.block(
        2,
        tensor("x", "fc(x)"),
        host("p", "x.sum().item()"),
        host(None, "append(p)", effect=True),
        host("n", "n + p"),
        host("i", "i + 1.0"),
        end=jump(1),
    )
    draft.block(3, end=give("x"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.arange(4.0).reshape(1, 4),)]
