"""``F.pad`` with what is there already, by numbers known only at run time."""

import torch


def repeating(input, pad, mode, value=None):
    """``F.pad`` in the modes reflect, replicate and circular."""
    if value is not None and value != 0:
        raise ValueError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if (len(pad), input.dim()) not in ((2, 2), (2, 3), (4, 3), (4, 4), (6, 4), (6, 5)):
        raise NotImplementedError("Only 2D, 3D, 4D, 5D padding with non-constant padding")
    if mode != "circular":
        _check(input, pad)
    for number in range(len(pad) // 2):
        place = input.dim() - 1 - number
        before, after = pad[2 * number], pad[2 * number + 1]
        if mode == "circular":
            input = _wrapped(input, place, before, after)
        else:
            input = _repeated(input, place, before, after, mode)
    return input


def _check(input, pad):
    count = len(pad) // 2
    for place in range(max(input.dim() - count - 1, 0), input.dim()):
        if input.shape[place] == 0:
            raise RuntimeError("Expected a tensor with possibly 0 batch size and other sizes")
    sizes = [input.shape[-1 - n] + pad[2 * n] + pad[2 * n + 1] for n in range(count)]
    if min(sizes) < 0 or max(sizes) < 1:
        raise RuntimeError("input is too small for the padding")


def _repeated(input, place, before, after, mode):
    size = input.shape[place]
    if mode == "reflect" and max(before, after) >= size:
        raise RuntimeError(f"padding {before}, {after} is too large for size {size}")
    places = torch.arange(size + before + after) - before
    if mode == "reflect":
        places = (size - 1) - ((size - 1) - places.abs()).abs()
    return input.index_select(place, places.clamp(0, size - 1))


def _wrapped(input, place, before, after):
    size = input.shape[place]
    kept = size + min(before, 0) + min(after, 0)
    # What is cut off is not repeated; PyTorch then reads what nobody wrote.
    if max(before, after) > kept or size + before + after < 0:
        raise RuntimeError("Padding value causes wrapping around more than once.")
    places = torch.arange(size + before + after) - max(before, 0)
    return input.index_select(
        place, places.remainder(torch.tensor(kept).clamp(min=1)) - min(before, 0)
    )
