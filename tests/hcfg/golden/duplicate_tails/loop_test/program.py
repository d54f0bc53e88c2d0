"""The body of a loop computes the test of the next round; before the loop stands the first test."""

import torch

from tests.hcfg.programs import Draft, branch, copy, give, host, jump, tensor


def draft() -> Draft:
    torch.manual_seed(0)
    draft = Draft(
        tensors=dict.fromkeys(["x", "y", "size"], (1, 4)),
        knowns={},
        numbers=["p"],
    )
    draft.block(0, copy(y="x"), end=jump(1))
    draft.block(
        1,
        tensor("size", "y.abs()"),
        host("p", "size[0, 0].item()"),
        end=branch("p > 1.0", 2, 3),
    )
    draft.block(2, tensor("y", "y * 0.5"), end=jump(1))
    draft.block(3, end=give("y"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.full((1, 4), number),) for number in (0.5, 3.0)]
