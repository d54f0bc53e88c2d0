"""Images of sizes known only at run time, made smaller or larger; parts of them moved about.

The numbers are those of PyTorch's kernels for the CPU (``UpSample.h``), in single precision where
elements are: which element is the nearest may depend on the last bit.
"""

import math

import torch

_RANKS = {"linear": 3, "bilinear": 4, "trilinear": 5}


def _check(input, size, scale_factor, mode, align_corners):
    if mode == "nearest" and align_corners is not None:
        raise ValueError("align_corners option can only be set with the interpolating modes")
    if mode != "nearest" and input.dim() != _RANKS[mode]:
        raise NotImplementedError(f"Got {input.dim()}D input, but {mode} mode needs another")
    if input.dim() not in (3, 4, 5):
        raise NotImplementedError("Input Error: Only 3D, 4D and 5D input Tensors supported")
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")


def _listed(input, numbers):
    found = list(numbers) if isinstance(numbers, (list, tuple)) else [numbers]
    found = found * (input.dim() - 2) if not isinstance(numbers, (list, tuple)) else found
    if len(found) != input.dim() - 2:
        raise ValueError("Input and output must have the same number of spatial dimensions")
    return found


def interpolate(
    input,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=None,
    recompute_scale_factor=None,
    antialias=False,
):
    """``F.interpolate`` to the nearest element, or between elements in straight lines."""
    _check(input, size, scale_factor, mode, align_corners)
    scales = [None] * (input.dim() - 2)
    if scale_factor is None:
        sizes = _listed(input, size)
    else:
        factors = _listed(input, scale_factor)
        sizes = [math.floor(n * f) for n, f in zip(input.shape[2:], factors, strict=True)]
        scales = scales if recompute_scale_factor else factors
    for number, wanted in enumerate(sizes):
        if input.shape[2 + number] <= 0 or wanted <= 0:
            raise RuntimeError(
                "Input and output sizes should be greater than 0, but got input "
                f"({input.shape[2 + number]}) output ({wanted})"
            )
    if input.shape[1] == 0:
        raise RuntimeError("Non-empty data tensor expected")
    for number, (wanted, scale) in enumerate(zip(sizes, scales, strict=True)):
        if mode == "nearest":
            input = _nearest(input, 2 + number, wanted, scale)
        else:
            input = _between(
                input, 2 + number, wanted, None if align_corners else scale, align_corners
            )
    return input


def _ratio(size, wanted, scale, kind):
    """Return how far apart in the image the elements of the result are.

    A scale is not asked where a dimension keeps its size.
    """
    if scale is not None:
        given = torch.tensor(1.0 / scale, dtype=kind)
        return torch.where(torch.tensor(size) == wanted, torch.ones_like(given), given)
    return torch.tensor(size, dtype=kind) / torch.tensor(wanted, dtype=kind)


def _nearest(input, place, wanted, scale):
    size, kind = input.shape[place], torch.float32
    steps = torch.arange(wanted, dtype=kind) * _ratio(size, wanted, scale, kind)
    return input.index_select(place, steps.floor().long().clamp(max=size - 1))


def _between(input, place, wanted, scale, align_corners):
    size, kind = input.shape[place], input.dtype
    steps = torch.arange(wanted, dtype=kind)
    if align_corners:
        reals = steps * _ratio(size - 1, max(wanted - 1, 1), None, kind)
    else:
        reals = ((steps + 0.5) * _ratio(size, wanted, scale, kind) - 0.5).clamp(min=0)
    before = reals.long().clamp(max=size - 1)
    weights = (reals - before.to(kind)).clamp(0, 1).reshape(-1, *[1] * (input.dim() - 1 - place))
    after = input.index_select(place, (before + 1).clamp(max=size - 1))
    return input.index_select(place, before) * (1 - weights) + after * weights


def pixel_shuffle(input, upscale_factor):
    """``F.pixel_shuffle``: channels become the elements of squares."""
    factor = upscale_factor
    if input.dim() < 3:
        raise RuntimeError("pixel_shuffle expects input to have at least 3 dimensions")
    if factor <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {factor}")
    *batch, channels, height, width = input.shape
    if channels % (factor * factor) != 0:
        raise RuntimeError("pixel_shuffle expects its input's channel to be divisible by it")
    count, rank = channels // (factor * factor), len(batch)
    squares = input.reshape(*batch, count, factor, factor, height, width)
    order = [*range(rank), *(rank + place for place in (0, 3, 1, 4, 2))]
    return squares.permute(order).reshape(*batch, count, height * factor, width * factor)


def pixel_unshuffle(input, downscale_factor):
    """``F.pixel_unshuffle``: the elements of squares become channels."""
    factor = downscale_factor
    if input.dim() < 3:
        raise RuntimeError("pixel_unshuffle expects input to have at least 3 dimensions")
    if factor <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, got {factor}")
    *batch, channels, height, width = input.shape
    if height % factor != 0 or width % factor != 0:
        raise RuntimeError("pixel_unshuffle expects height and width to be divisible by it")
    if input.numel() == 0:  # PyTorch leaves it as it is
        return input.clone()
    rows, columns, rank = height // factor, width // factor, len(batch)
    squares = input.reshape(*batch, channels, rows, factor, columns, factor)
    order = [*range(rank), *(rank + place for place in (0, 2, 4, 1, 3))]
    return squares.permute(order).reshape(*batch, channels * factor * factor, rows, columns)


def rot90(input, k=1, dims=(0, 1)):
    """``torch.rot90``."""
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    first, second = dims
    if first == second or abs(first - second) == input.dim():
        raise RuntimeError("expected rotation dims to be different")
    turns = k % 4
    if turns == 0:
        return input.clone()
    if turns == 2:
        return input.flip([first, second])
    return input.flip([second if turns == 1 else first]).transpose(first, second).clone()
