"""Equal up to weights, equal with weights, and alike only by class."""

import torch
from torch import nn

from tests.hcfg.programs import Draft, branch, fail, give, host, tensor


class Scaled(nn.Module):
    """A layer with a number in a Python attribute."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.factor = factor

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.fc(x) * self.factor
        return result


def draft() -> Draft:
    first, second, third = Scaled(2.0), Scaled(2.0), Scaled(3.0)
    twin = Scaled(2.0)
    twin.load_state_dict(first.state_dict())
    knowns = {"first": first, "second": second, "third": third, "twin": twin}
    draft = Draft(tensors={"x": (1, 4)}, knowns=knowns, numbers=["p"])
    for number, name in enumerate(["first", "second", "third", "twin", "first"]):
        draft.block(
            number,
            tensor("x", f"{name}(x)"),
            host("p", "x.sum().item()"),
            end=branch("p > 1e9", 9, number + 1),
        )
    draft.block(5, end=give("x"))
    draft.block(9, end=fail("OverflowError(p)"))
    draft.knowns = {**knowns, "OverflowError": OverflowError}
    return draft


def arguments() -> list[tuple[torch.Tensor, ...]]:
    return [(torch.zeros(1, 4),), (torch.full((1, 4), 1e12),), (torch.full((1, 4), -1e12),)]
