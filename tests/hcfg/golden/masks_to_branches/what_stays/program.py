"""No mask by its operators, no bound, a division by the sum, another reader: nothing changes."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, give, tensor


def draft() -> Draft:
    torch.manual_seed(0)
    shapes = dict.fromkeys(["first", "soft", "gate", "hard", "less", "trick"], (1, 1))
    names = ["x", "a", "a1", "a2", "b", "b1", "b2", "c", "c1", "c2", "c3", "d", "d1", "d2"]
    draft = Draft(
        tensors={**dict.fromkeys(names, (1, 4)), **shapes},
        knowns={"one": nn.Linear(4, 4), "torch": torch},
    )
    draft.block(
        0,
        tensor("first", "x[:, :1]"),
        tensor("soft", "first.sigmoid()"),
        tensor("gate", "soft > 0.5"),
        tensor("hard", "gate.float()"),
        tensor("less", "hard - soft"),
        tensor("trick", "less + soft"),  # 0.99999994 for some
        tensor("a", "one(x)"),
        tensor("a1", "a * trick"),
        tensor("a2", "x + a1"),
        tensor("b", "one(x).exp()"),  # may be infinite
        tensor("b1", "b * hard"),
        tensor("b2", "x + b1"),
        tensor("c", "one(x)"),
        tensor("c1", "c * hard"),
        tensor("c2", "x + c1"),
        tensor("c3", "1 / c2"),  # tells zeros of either sign apart
        tensor("d", "one(x)"),
        tensor("d1", "d * hard"),
        tensor("d2", "x + d1"),
        end=give("(a2, b2, c3, d, d2)"),  # d is a result itself
    )
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    generator = torch.Generator().manual_seed(0)
    return [(torch.randn(1, 4, generator=generator),) for _ in range(4)]
