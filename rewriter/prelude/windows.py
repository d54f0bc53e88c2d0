"""Windows over images where sizes are known only at run time: one dimension after the other.

A window is a product of intervals. What decides nothing is also what a trace makes of pooling to a
known number of results.
"""

import torch


def _tuple(numbers, count):
    found = list(numbers) if isinstance(numbers, (list, tuple)) else [numbers]
    return found * count if len(found) == 1 else found


def _chosen(input, place, places, is_inside, other):
    """Return windows in two dimensions at a place: how many, and what is in them."""
    taken = input[(*(slice(None),) * place, places)]
    is_inside = is_inside.reshape(*is_inside.shape, *[1] * (input.dim() - 1 - place))
    return torch.where(is_inside, taken, torch.full((), other, dtype=input.dtype))


def _parts(size, count):
    """Return the places of so many parts of a dimension, which may overlap, and which are in it."""
    results = torch.arange(count)
    whole = torch.tensor(count).clamp(min=1)  # divides, and is no number that could be zero
    starts = results * size // whole
    ends = ((results + 1) * size + (count - 1)) // whole
    places = starts.unsqueeze(1) + torch.arange((size + count - 1) // max(count, 1) + 1)
    return places.clamp(max=size - 1), places < ends.unsqueeze(1), ends - starts


def averaged(input, place, count):
    """Return so many averages along a dimension that has elements."""
    places, is_inside, sizes = _parts(input.shape[place], count)
    sums = _chosen(input, place, places, is_inside, 0).sum(place + 1)
    return sums / sizes.to(input.dtype).reshape(-1, *[1] * (input.dim() - 1 - place))


def largest(input, place, count):
    """Return the largest elements of so many parts along a dimension that has elements."""
    places, is_inside, _ = _parts(input.shape[place], count)
    return _chosen(input, place, places, is_inside, float("-inf")).amax(place + 1)


def _check(name, input, rank, first):
    if input.dim() not in (rank + 1, rank + 2):
        raise RuntimeError(f"{name}: expected {rank + 1} or {rank + 2} dimensions")
    for place in range(first, input.dim()):
        if input.shape[place] == 0:
            raise RuntimeError(f"{name}: expected input to have non-zero sizes")


def _adaptive(name, rank, input, output_size, pooled):
    wanted = _tuple(output_size, rank)
    _check(name, input, rank, input.dim() - rank - (1 if pooled is largest else 0))
    for number, count in enumerate(wanted):
        if count is not None:
            if count < 0:
                raise RuntimeError(f"{name}: output sizes must not be negative")
            input = pooled(input, input.dim() - rank + number, count)
    return input


def adaptive_avg_pool1d(input, output_size):
    """``F.adaptive_avg_pool1d``."""
    return _adaptive("adaptive_avg_pool1d", 1, input, output_size, averaged)


def adaptive_avg_pool2d(input, output_size):
    """``F.adaptive_avg_pool2d``."""
    return _adaptive("adaptive_avg_pool2d", 2, input, output_size, averaged)


def adaptive_max_pool1d(input, output_size, return_indices=False):
    """``F.adaptive_max_pool1d`` without places."""
    return _adaptive("adaptive_max_pool1d", 1, input, output_size, largest)


def adaptive_max_pool2d(input, output_size, return_indices=False):
    """``F.adaptive_max_pool2d`` without places."""
    return _adaptive("adaptive_max_pool2d", 2, input, output_size, largest)


def _steps(name, size, kernel, stride, padding, dilation, ceil_mode=False):
    """Return the places of each window, some of which are beyond the image.

    With ``ceil_mode`` there is one more that begins in it, or in the padding before it.
    """
    if kernel <= 0:
        raise RuntimeError(f"{name}: kernel size should be greater than zero, but got {kernel}")
    if stride <= 0:
        raise RuntimeError(f"{name}: stride should be greater than zero, but got {stride}")
    if padding < 0:
        raise RuntimeError(f"{name}: padding must be non-negative, but got {padding}")
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    if ceil_mode:
        room = room + stride - 1
    if room < 0 or size == 0:
        raise RuntimeError(f"{name}: given input size {size}, the output size is too small")
    count = room // stride + 1
    if ceil_mode and (count - 1) * stride >= size + padding:
        count = count - 1
    starts = torch.arange(count) * stride - padding
    return starts.unsqueeze(1) + torch.arange(kernel) * dilation


def _check_padding(name, kernel, padding):
    if padding > kernel // 2:
        raise RuntimeError(f"{name}: pad should be at most half of effective kernel size")


def _pooled(name, rank, input, settings, other, reduced, ceil_mode):
    _check(name, input, rank, input.dim() - rank - 1)
    for number, (kernel, stride, padding, dilation) in enumerate(zip(*settings, strict=True)):
        place = input.dim() - rank + number
        size = input.shape[place]
        places = _steps(name, size, kernel, stride, padding, dilation, ceil_mode)
        _check_padding(name, kernel, padding)
        is_inside = (places >= 0) & (places < size)
        windows = _chosen(input, place, places.clamp(0, size - 1), is_inside, other)
        counted = places < size + padding if ceil_mode else None
        input = reduced(windows, place, is_inside, kernel, counted)
    return input


def _settings(rank, kernel_size, stride, padding, dilation=1):
    has_stride = stride is not None and not (isinstance(stride, (list, tuple)) and not stride)
    given = (kernel_size, stride if has_stride else kernel_size, padding, dilation)
    return [_tuple(setting, rank) for setting in given]


def _average(rank, input, kernel_size, stride, padding, ceil_mode, count_include_pad):
    def reduced(windows, place, is_inside, kernel, counted):
        sums = windows.sum(place + 1)
        if count_include_pad and counted is None:
            return sums / kernel
        counts = (counted if count_include_pad else is_inside).sum(1).to(sums.dtype)
        return sums / counts.reshape(-1, *[1] * (sums.dim() - 1 - place))

    settings = _settings(rank, kernel_size, stride, padding)
    return _pooled(f"avg_pool{rank}d", rank, input, settings, 0, reduced, ceil_mode)


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """``F.avg_pool1d``."""
    return _average(1, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


def avg_pool2d(
    input,
    kernel_size,
    stride=None,
    padding=0,
    ceil_mode=False,
    count_include_pad=True,
    divisor_override=None,
):
    """``F.avg_pool2d``."""
    return _average(2, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


def _maximum(rank, input, kernel_size, stride, padding, dilation, ceil_mode):
    def reduced(windows, place, is_inside, kernel, counted):
        return windows.amax(place + 1)

    settings = _settings(rank, kernel_size, stride, padding, dilation)
    name, lowest = f"max_pool{rank}d", float("-inf")
    return _pooled(name, rank, input, settings, lowest, reduced, ceil_mode)


def max_pool1d(
    input,
    kernel_size,
    stride=None,
    padding=0,
    dilation=1,
    ceil_mode=False,
    return_indices=False,
):
    """``F.max_pool1d`` without places."""
    return _maximum(1, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d(
    input,
    kernel_size,
    stride=None,
    padding=0,
    dilation=1,
    ceil_mode=False,
    return_indices=False,
):
    """``F.max_pool2d`` without places."""
    return _maximum(2, input, kernel_size, stride, padding, dilation, ceil_mode)


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """``F.unfold``: each window as a column."""
    if input.dim() not in (3, 4):
        raise RuntimeError("unfold: expected 3 or 4 dimensions")
    windows = input if input.dim() == 4 else input.unsqueeze(0)
    settings = [_tuple(setting, 2) for setting in (kernel_size, stride, padding, dilation)]
    for number, (kernel, step, margin, apart) in enumerate(zip(*settings, strict=True)):
        place = 2 + 2 * number
        size = windows.shape[place]
        places = _steps("unfold", size, kernel, step, margin, apart)
        is_inside = (places >= 0) & (places < size)
        windows = _chosen(windows, place, places.clamp(0, size - 1), is_inside, 0)
    columns = windows.permute(0, 1, 3, 5, 2, 4).flatten(4).flatten(1, 3)
    return columns if input.dim() == 4 else columns[0]
