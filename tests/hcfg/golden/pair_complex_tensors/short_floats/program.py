"""A tensor of bfloat16 is written in place, or replaced by a known one, before it is read."""

import torch

from tests.hcfg.programs import Draft, branch, copy, give, host, jump, tensor


def draft() -> Draft:
    draft = Draft(
        tensors=dict.fromkeys(["x", "y", "z", "w"], (2, 4)),
        shorts=["z", "w"],
        knowns={"known": torch.full((2, 4), 3.0, dtype=torch.bfloat16), "torch": torch},
        numbers=["p"],
    )
    draft.block(
        0, tensor("z", "x.bfloat16()"), host("p", "x[0, 0].item()"), end=branch("p > 0", 1, 2)
    )
    draft.block(1, tensor(None, "z.mul_(0.3)", updates={"w": "z"}), end=jump(4))
    draft.block(2, end=branch("p > -3", 3, 5))
    draft.block(3, copy(w="known"), end=jump(4))
    draft.block(5, copy(w="z"), end=jump(4))
    draft.block(4, tensor("y", "w.float() + 1"), end=give("y"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.full((2, 4), number),) for number in (5.0, -2.0, -5.0)]
