"""Random numbers of Python and numpy: drawn by the host, from the same state."""

import random
from pathlib import Path

import numpy as np
import torch
from torch import nn

import dycl


class TeacherForcing(nn.Module):
    """Tosses a coin before it decodes, as sequence models do in training."""

    def forward(self, x: torch.Tensor, ratio: float = 0.5) -> tuple[torch.Tensor, bool]:
        """Take another way for each coin."""
        use = bool(random.random() < ratio)
        y = x * random.randint(1, 3)
        return (y + random.uniform(-1, 1) if use else y), use


def test_host_draws_what_eager_draws(tmp_path: Path) -> None:
    """Equal seeds give equal numbers, and leave the generator in the same state."""
    model, x = TeacherForcing().eval(), torch.tensor([1.0, 2.0])
    options = dycl.CompileOptions(allow_random=True)
    compiled = dycl.compile(model, (x,), output=tmp_path / "host_dycl", options=options)
    ways = set()
    for seed in range(8):
        random.seed(seed)
        expected, used = model(x)
        following = random.random()
        random.seed(seed)
        result, way = compiled(x)
        assert way == used
        assert random.random() == following
        torch.testing.assert_close(torch.from_numpy(result), expected)
        ways.add(way)
    assert ways == {True, False}


class LayerDrop(nn.Module):
    """Draws a number for each layer, and looks at it in training."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Skip layers in training."""
        for _ in range(3):
            drawn = random.uniform(0, 1)
            other = np.random.uniform(0, 1)
            if self.training and drawn < other:
                continue
            x = x * 2
        return x


def test_host_draws_what_nobody_reads(tmp_path: Path) -> None:
    """A number that the result does not depend on is drawn all the same, as in eager."""
    model, x = LayerDrop().eval(), torch.tensor([1.0, 2.0])
    compiled = dycl.compile(model, (x,), output=tmp_path / "host_dycl")
    following = []
    for run in (model, compiled):
        random.seed(1)
        np.random.seed(1)
        run(x)
        following.append((random.random(), np.random.rand()))
    assert following[0] == following[1]
