"""A small model with branches, and the inputs that take them."""

import torch
from torch import nn


class Gated(nn.Module):
    """Skips a convolution where the picture is dark."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.second = nn.Conv2d(8, 8, 3, padding=1)
        self.head = nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return four logits."""
        y = torch.relu(self.first(x))
        if x.mean() > 0:
            y = torch.relu(self.second(y)) + y
        logits: torch.Tensor = self.head(y.mean((2, 3)))
        return logits


def pictures() -> list[torch.Tensor]:
    """Return pictures that take both branches."""
    noise = torch.randn(1, 3, 8, 8, generator=torch.Generator().manual_seed(0))
    return [noise + shift for shift in (-0.5, 0.5, 1.0, -1.0)]
