"""A way back to a loop's head without tensor code gets a copy of its own."""

import torch

from tests.hcfg.programs import Draft, branch, copy, give, host, jump, tensor


def draft() -> Draft:
    draft = Draft(tensors=dict.fromkeys(["x", "y", "size"], (1, 4)), knowns={}, numbers=["p", "n"])
    draft.block(0, copy(y="x", n="0.0"), end=jump(1))
    draft.block(
        1,
        tensor("size", "y.abs()"),
        host("p", "size[0, 0].item()"),
        end=branch("p > 1.0 and n < 5.0", 2, 5),
    )
    draft.block(2, host("n", "n + 1.0"), end=branch("p > 4.0", 3, 4))
    draft.block(3, host("p", "p * 0.5"), end=jump(1))
    draft.block(4, tensor("y", "y * 0.5"), end=jump(1))
    draft.block(5, end=give("(y, n)"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.full((1, 4), number),) for number in (0.5, 3.0, 8.0)]
