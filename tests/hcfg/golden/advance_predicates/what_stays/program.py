"""What stays: a product, a row, what is assigned twice, what a loop would compute every round."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, branch, give, host, jump, tensor


def draft() -> Draft:
    torch.manual_seed(0)
    draft = Draft(
        tensors={
            **dict.fromkeys(["x", "y", "row", "often", "step"], (1, 4)),
            **dict.fromkeys(["dear", "late", "again"], (1,)),
        },
        knowns={"decide": nn.Linear(4, 4), "weigh": nn.Linear(4, 1)},
        numbers=["p", "q", "r", "s"],
    )
    draft.block(
        0, tensor("y", "decide(x)"), host("p", "y[0, 0].item()"), end=branch("p > 0.0", 1, 2)
    )
    draft.block(1, tensor("dear", "weigh(y)[:, 0]"), host("q", "dear.item()"), end=jump(3))
    draft.block(2, tensor("row", "y * 2.0"), host("q", "row[0, 1].item()"), end=jump(3))
    draft.block(3, tensor("often", "decide(y) * 0.5"), host("r", "often[0, 0].item()"), end=jump(4))
    draft.block(
        4,
        tensor("often", "often * 0.5"),
        tensor("step", "often * 0.25"),
        host("r", "often[0, 0].item()"),
        end=branch("r > 0.01", 4, 5),
    )
    draft.block(
        5,
        tensor("late", "step[:, 1] + 1.0"),
        host("s", "late.item()"),
        end=branch("s > q + 1.0", 6, 7),
    )
    draft.block(6, tensor("again", "often[:, 2] * 3.0"), end=give("again"))
    draft.block(7, end=give("often"))
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    generator = torch.Generator().manual_seed(0)
    return [(torch.randn(1, 4, generator=generator) * 4,) for _ in range(12)]
