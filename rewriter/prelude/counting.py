"""Functions of torch that make as many elements as a number of run time says.

They compute what PyTorch's kernels for the CPU do, in their order: ``RangeFactoriesKernel.cpp`` and
``TensorFactories.cpp``. What is special about one element is chosen without a decision.
"""

import math

import torch


def linspace(start, end, steps, *, dtype=None):
    """``torch.linspace`` of float32: from both ends towards the middle.

    The kernel multiplies and adds in one rounding: so does arithmetic of 64 bits.
    """
    ends = {"start": start, "end": end}.items()
    ranks = {name: each.dim() for name, each in ends if isinstance(each, torch.Tensor)}
    got = [f"{name} with {rank} dimension(s)" for name, rank in ranks.items()]
    if any(ranks.values()):
        takes = "linspace only supports 0-dimensional start and end tensors"
        raise RuntimeError(f"{takes}, but got {' and '.join(got)}.")
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    kind = torch.float32
    first = start.to(kind) if isinstance(start, torch.Tensor) else torch.tensor(start, dtype=kind)
    last = end.to(kind) if isinstance(end, torch.Tensor) else torch.tensor(end, dtype=kind)
    step = ((last - first) / max(steps - 1, 1)).double()
    index = torch.arange(steps, dtype=torch.float64)
    lower = (index < steps // 2) | (index == 0)
    rising, falling = first.double() + step * index, last.double() - step * (steps - 1 - index)
    return torch.where(lower, rising, falling).to(kind)


def eye(n, m=None, *, dtype=None):
    """``torch.eye``."""
    if n < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {n}")
    if m is not None and m < 0:
        raise RuntimeError(f"m must be greater or equal to 0, got {m}")
    rows, columns = torch.arange(n), torch.arange(n if m is None else m)
    return (rows.unsqueeze(1) == columns).to(dtype or torch.get_default_dtype())


def _angles(name, length, periodic, dtype, whole):
    """Return an angle for each element: ``whole`` for the end of the window."""
    if length < 0:
        raise RuntimeError(
            f"{name} requires non-negative window_length, got window_length={length}"
        )
    steps = length if periodic else length - 1
    return torch.arange(length, dtype=dtype or torch.get_default_dtype()) * (whole / max(steps, 1))


def _one_if_alone(window, length):
    return torch.where(torch.tensor(length) == 1, torch.ones_like(window), window)


def _cosine(name, length, periodic, alpha, beta, dtype):
    angles = _angles(name, length, periodic, dtype, math.pi * 2.0)
    return _one_if_alone(angles.cos() * -beta + alpha, length)


def hann_window(window_length, periodic=True, *, dtype=None):
    """``torch.hann_window``."""
    return _cosine("hann_window", window_length, periodic, 0.5, 0.5, dtype)


def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None):
    """``torch.hamming_window``."""
    return _cosine("hamming_window", window_length, periodic, alpha, beta, dtype)


def blackman_window(window_length, periodic=True, *, dtype=None):
    """``torch.blackman_window``."""
    angles = _angles("blackman_window", window_length, periodic, dtype, math.pi)
    window = (angles * 4).cos() * 0.08 - (angles * 2).cos() * 0.5 + 0.42
    return _one_if_alone(window, window_length)


def bartlett_window(window_length, periodic=True, *, dtype=None):
    """``torch.bartlett_window``."""
    rising = _angles("bartlett_window", window_length, periodic, dtype, 2.0)
    index = torch.arange(window_length)
    half = ((window_length if periodic else window_length - 1) // 2) + 1
    return _one_if_alone(torch.where(index < half, rising, rising * -1 + 2), window_length)


def logspace(start, end, steps, base=10.0, *, dtype=None):
    """``torch.logspace`` of float32."""
    powers = linspace(start, end, steps)
    return torch.pow(torch.tensor(base, dtype=torch.float32), powers)


def tril_indices(row, col, offset=0, *, dtype=torch.int64):
    """``torch.tril_indices``."""
    return _indices(row, col, dtype, lambda rows, columns: columns - rows <= offset)


def triu_indices(row, col, offset=0, *, dtype=torch.int64):
    """``torch.triu_indices``."""
    return _indices(row, col, dtype, lambda rows, columns: columns - rows >= offset)


def _indices(row, col, dtype, is_within):
    if row < 0:
        raise RuntimeError(f"row must be non-negative, got{row}")
    if col < 0:
        raise RuntimeError(f"col must be non-negative, got{col}")
    chosen = is_within(torch.arange(row).unsqueeze(1), torch.arange(col))
    return chosen.nonzero().t().contiguous().to(dtype)


def vander(x, N=None, increasing=False):
    """``torch.vander``."""
    if x.dim() != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = x.shape[0] if N is None else N
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    powers = torch.arange(count)
    numbers = x if x.is_floating_point() else x.long()
    return numbers.unsqueeze(1) ** (powers if increasing else powers.flip(0))
