"""Small models whose sub-DNNs exchange images of 32 channels, which is whole blocks anywhere."""

import torch
from torch import nn

CHANNELS = 32


def _block(channels: int, seed: int) -> nn.Module:
    torch.manual_seed(seed)
    return nn.Sequential(
        nn.Conv2d(channels, channels, 3, padding=1),
        nn.BatchNorm2d(channels),
        nn.ReLU(),
        nn.Conv2d(channels, channels, 3, padding=1),
    ).eval()


class Skipping(nn.Module):
    """Skips each residual block where a gate says so; what is skipped passes by as it is."""

    def __init__(self, channels: int = CHANNELS, *, tied: bool = False) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.stem = nn.Conv2d(3, channels, 3, padding=1)
        self.first = _block(channels, 1)
        self.second = self.first if tied else _block(channels, 2)
        self.head = nn.Linear(channels, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return four logits."""
        y = torch.relu(self.stem(x))
        if x.mean() > 0:
            y = torch.relu(y + self.first(y))
        if x.amax() > 2:
            y = torch.relu(y + self.second(y))
        logits: torch.Tensor = self.head(y.mean((2, 3)))
        return logits


class Pooling(Skipping):
    """Decides by what maximum pooling leaves, as the gates of SkipNet do."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return four logits."""
        y = torch.relu(self.stem(x))
        if torch.max_pool2d(y, 3, 2, 1).mean() > 0.4:
            y = torch.relu(y + self.first(y))
        if torch.max_pool2d(y, 2).mean() > 0.8:
            y = torch.relu(y + self.second(y))
        logits: torch.Tensor = self.head(y.mean((2, 3)))
        return logits


class Returning(Skipping):
    """Returns the image itself in one branch."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return four logits, or an image."""
        y = torch.relu(self.stem(x))
        if x.mean() > 0:
            return y
        y = torch.relu(y + self.first(y))
        if x.amax() > 2:
            y = torch.relu(y + self.second(y))
        logits: torch.Tensor = self.head(y.mean((2, 3)))
        return logits


class Repeating(Skipping):
    """Runs a block until the image is large enough."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return four logits."""
        y = torch.relu(self.stem(x))
        while y.mean() < 0.6:
            y = torch.relu(y + self.first(y)) + 0.1
        logits: torch.Tensor = self.head(y.mean((2, 3)))
        return logits


class Bare(Skipping):
    """Two arms of which only the filters differ: no biases that would tell them apart."""

    def __init__(self) -> None:
        super().__init__()
        self.third = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1, bias=False)
        self.fourth = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return four logits."""
        y = torch.relu(self.stem(x))
        y = torch.relu(self.third(y)) if x.mean() > 0 else torch.relu(self.fourth(y))
        y = torch.relu(self.fourth(y)) if x.amax() > 2 else torch.relu(self.third(y))
        logits: torch.Tensor = self.head(y.mean((2, 3)))
        return logits


def images() -> list[torch.Tensor]:
    """Return images that take all paths."""
    noise = torch.randn(1, 3, 8, 8, generator=torch.Generator().manual_seed(0))
    return [noise * scale + shift for scale in (0.1, 0.5, 1.0) for shift in (-0.5, 0.5, 1.5)]
