"""Features that an exit is given and does not look at wait for the exit that needs them."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, branch, give, host, jump, tensor


class Last(nn.Module):
    """Looks at the last feature map only."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, maps: list[torch.Tensor]) -> torch.Tensor:
        result: torch.Tensor = self.fc(maps[-1])
        return result


def draft() -> Draft:
    torch.manual_seed(0)
    names = ["x", "first", "fine", "finer", "finest", "coarse", "logits", "more", "last", "end"]
    draft = Draft(
        tensors=dict.fromkeys(names, (1, 4)),
        knowns={"one": nn.Linear(4, 4), "other": nn.Linear(4, 4), "classify": Last()},
        numbers=["p"],
    )
    draft.block(
        0,
        tensor("first", "one(x)"),
        tensor("fine", "first * 2"),
        tensor("finer", "other(fine)"),
        tensor("finest", "finer - fine"),
        tensor("coarse", "other(first)"),
        tensor("logits", "classify([finest, fine, coarse])"),
        host("p", "logits[0, 0].item()"),
        end=branch("p > 0.0", 1, 2),
    )
    draft.block(1, end=give("logits"))
    draft.block(
        2,
        tensor("more", "one(coarse)"),
        tensor("last", "classify((finest, more))"),
        host("p", "last[0, 0].item()"),
        end=branch("p > 0.0", 3, 4),
    )
    draft.block(3, end=give("last"))
    draft.block(4, tensor("end", "finest + more"), end=jump(5))
    draft.block(5, end=give("end"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    generator = torch.Generator().manual_seed(0)
    return [(torch.randn(1, 4, generator=generator) * 4,) for _ in range(12)]
