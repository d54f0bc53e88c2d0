"""A model as a user writes it, for tests of the whole compiler."""

import torch
from torch import Tensor, nn


class TooDark(ValueError):
    """The picture has nothing in it."""


class GatedModel(nn.Module):
    """Skips a block, counts, raises, and takes a number and a word."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.block = nn.Linear(4, 4)

    def forward(self, x: Tensor, limit: float = 0.5, mode: str = "sum") -> dict[str, object]:
        """Return the result, and whether the block ran."""
        if x.max().item() <= 0:
            raise ValueError("too dark")
        h = torch.relu(self.stem(x))
        taken = h.mean().item() > limit
        if taken:
            h = h + self.block(h)
        if mode == "sum":
            h = h.sum(1)
        return {"h": h, "taken": taken, "constant": torch.zeros(2)}


def gated_model() -> GatedModel:
    """Return the model with seeded weights."""
    torch.manual_seed(0)
    return GatedModel().eval()
