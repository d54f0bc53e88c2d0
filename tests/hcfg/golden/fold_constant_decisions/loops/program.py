"""What a loop changes is no constant; a flag that no round changes is one."""

import torch

from tests.hcfg.programs import Draft, branch, copy, give, host, jump, tensor


def draft() -> Draft:
    draft = Draft(tensors=dict.fromkeys("xy", (1, 1)), knowns={}, numbers=["n", "flag"])
    draft.block(0, copy(y="x", n="0.0", flag="0.0"), end=jump(1))
    draft.block(1, end=branch("n < 2.0", 2, 5))
    draft.block(2, host("n", "n + 1.0"), end=branch("flag > 0.0", 3, 4))
    draft.block(3, copy(flag="1.0"), end=jump(1))
    draft.block(4, tensor("y", "y * 2"), end=jump(1))
    draft.block(5, end=branch("n / 0.0 > flag", 6, 7))
    draft.block(6, end=give("y"))
    draft.block(7, end=give("x"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.ones(1, 1),)]


UNREACHED = {"host_2", "return_0", "return_1"}
