"""Pictures for the zoo: scikit-learn's handwritten digits as 32x32 RGB images, easy to hopeless.

Every picture is a digit that was turned, moved, coloured and disturbed. How much is the
picture's *difficulty*: 0 is a clean digit in the middle, 1 is hardly legible. Models that
choose their path by the input need both, otherwise they would always choose the same one.
"""

import functools
import math

import torch
import torch.nn.functional as F
from torch import Tensor

IMAGE_SIZE = 32
HELD_OUT = 360
"""How many of the 1797 digits are kept from training."""

_SPLIT_SEED = 1797
_NO_DIGIT_SHARE = 0.06
"""Share of sample inputs that show only noise: the inputs that reach the rarest paths."""


@functools.cache
def load_digits(*, held_out: bool) -> tuple[Tensor, Tensor]:
    """Return the digits of one split as (images [n, 1, 8, 8] from 0 to 1, labels [n])."""
    from sklearn import datasets

    pixels, labels = datasets.load_digits(return_X_y=True)
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(_SPLIT_SEED))
    chosen = order[-HELD_OUT:] if held_out else order[:-HELD_OUT]
    images = torch.from_numpy(pixels).float().view(-1, 1, 8, 8) / 16.0
    return images[chosen], torch.from_numpy(labels).long()[chosen]


def draw_pictures(images: Tensor, difficulty: Tensor, generator: torch.Generator) -> Tensor:
    """Turn digits [n, 1, 8, 8] into pictures [n, 3, 32, 32] of the given difficulties [n]."""
    count = len(images)

    def uniform(*shape: int) -> Tensor:
        return torch.rand(count, *shape, generator=generator)

    amount = difficulty.view(-1, 1)
    angle = (uniform(1) - 0.5) * 0.7 * amount
    scale = 1.15 + (uniform(1) - 0.5) * 0.5 * amount
    shift = (uniform(2) - 0.5) * 0.45 * amount
    rows = torch.stack(
        [
            torch.cat([angle.cos() * scale, -angle.sin() * scale, shift[:, :1]], dim=1),
            torch.cat([angle.sin() * scale, angle.cos() * scale, shift[:, 1:]], dim=1),
        ],
        dim=1,
    )
    grid = F.affine_grid(rows, [count, 1, IMAGE_SIZE, IMAGE_SIZE], align_corners=False)
    ink = F.grid_sample(images, grid, mode="bilinear", padding_mode="zeros", align_corners=False)
    paper_colour = uniform(3, 1, 1) * 0.45 * difficulty.view(-1, 1, 1, 1)
    ink_colour = 1.0 - uniform(3, 1, 1) * 0.55 * difficulty.view(-1, 1, 1, 1)
    pictures = paper_colour + ink * (ink_colour - paper_colour)
    noise = torch.randn(count, 3, IMAGE_SIZE, IMAGE_SIZE, generator=generator)
    pictures = pictures + noise * 0.3 * difficulty.view(-1, 1, 1, 1) ** 1.5
    return (pictures.clamp(0.0, 1.0) - 0.5) / 0.5


def labelled_pictures(count: int, seed: int, *, held_out: bool) -> tuple[Tensor, Tensor]:
    """Return `count` pictures of all difficulties and the digits they show."""
    generator = torch.Generator().manual_seed(seed)
    images, labels = load_digits(held_out=held_out)
    chosen = torch.randint(len(labels), (count,), generator=generator)
    difficulty = torch.rand(count, generator=generator)
    return draw_pictures(images[chosen], difficulty, generator), labels[chosen]


def sample_pictures(count: int, seed: int) -> list[tuple[Tensor, ...]]:
    """Return model inputs (batch 1): held-out digits, and a few pictures of nothing at all."""
    generator = torch.Generator().manual_seed(seed)
    pictures, _ = labelled_pictures(count, seed, held_out=True)
    noise = torch.rand(count, 3, IMAGE_SIZE, IMAGE_SIZE, generator=generator) * 2.0 - 1.0
    spacing = math.ceil(1 / _NO_DIGIT_SHARE)
    return [
        ((noise if index % spacing == spacing - 1 else pictures)[index : index + 1].clone(),)
        for index in range(count)
    ]
