"""Linear interpolation of images, written as PyTorch's kernel computes it.

PyTorch's own decomposition goes from one element to the next, ``left + (right - left) * share``,
which is NaN where both are the same infinity. The kernel weighs each, and adds them up.
"""

from collections.abc import Sequence
from itertools import product

import torch
from torch import Tensor


def interpolated(
    image: Tensor, size: Sequence[int], align_corners: bool, *scales: float | None
) -> Tensor:
    """Return what ``upsample_bilinear2d.default`` does."""
    return _weighed(image, size, align_corners, scales or (None,) * len(size))


def interpolated_by_factors(
    image: Tensor,
    size: Sequence[int] | None,
    align_corners: bool,
    factors: Sequence[float] | None,
) -> Tensor:
    """Return what ``upsample_bilinear2d.vec`` does: it takes a size or factors."""
    if size is not None:
        return _weighed(image, size, align_corners, (None,) * len(size))
    assert factors is not None
    found = [int(extent * factor) for extent, factor in zip(image.shape[2:], factors, strict=True)]
    return _weighed(image, found, align_corners, factors)


def _weighed(
    image: Tensor, size: Sequence[int], align_corners: bool, scales: Sequence[float | None]
) -> Tensor:
    if not image.is_floating_point():
        raise NotImplementedError(f"interpolation of {image.dtype}")
    rank = len(size)
    befores, afters, shares = [], [], []
    for dim, (end, scale) in enumerate(zip(size, scales, strict=True)):
        extent = image.shape[2 + dim]
        place = _places(extent, end, align_corners, scale, image.dtype)
        place = place.reshape(-1, *[1] * (rank - 1 - dim))
        before = place.to(torch.int64)
        befores.append(before)
        afters.append((before + 1).clamp(max=extent - 1))
        shares.append((place - before).clamp(0.0, 1.0).to(image.dtype))
    corners: list[Tensor] = [
        torch.ops.aten._unsafe_index(image, [None, None, *chosen])
        for chosen in product(*zip(befores, afters, strict=True))
    ]
    for share in reversed(shares):
        pairs = zip(corners[::2], corners[1::2], strict=True)
        corners = [left * (1 - share) + right * share for left, right in pairs]
    (result,) = corners
    return result


def _places(
    extent: int, size: int, align_corners: bool, scale: float | None, dtype: torch.dtype
) -> Tensor:
    """Return where the elements of a dimension are read, between elements of the image."""
    index = torch.arange(size).to(dtype)
    if align_corners:
        return index * ((extent - 1.0) / (size - 1.0) if size > 1 else 0)
    step = 1.0 / scale if scale is not None and scale > 0 else extent / size
    return (step * (index + 0.5) - 0.5).clamp(min=0.0)
