"""No arm saves a call where the tail needs a number that the host makes of the arm's result."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, branch, copy, from_host, give, host, jump, tensor


def draft() -> Draft:
    torch.manual_seed(0)
    draft = Draft(
        tensors={**dict.fromkeys("xyz", (1, 4)), "number": (2,)},
        knowns={"fc": nn.Linear(4, 4)},
        numbers=["p"],
    )
    draft.block(0, host("p", "x[0, 0].item()"), end=branch("p > 0.0", 1, 2))
    draft.block(1, tensor("y", "fc(x)"), end=jump(3))
    draft.block(2, copy(y="x"), end=jump(3))
    draft.block(
        3,
        host("p", "y[0, 0].item()"),
        from_host("number", "[p, 1.0]"),
        tensor("z", "y * number[0]"),
        end=give("z"),
    )
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.full((1, 4), number),) for number in (-1.0, 2.0)]
