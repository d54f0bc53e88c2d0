"""QR decompositions of matrices with few rows or columns, spelled out as Householder reflections.

Signs are those of LAPACK's ``geqrf`` (``larfg``): a number of the diagonal of R has the opposite
sign of what stood there, and a column that is zero below the diagonal is left as it is.
"""

from typing import Any

import torch
from torch import Tensor

from hcfg.checked_content import checked

_NOISE = {torch.float32: 1e-4, torch.float64: 1e-11}
"""What rounding leaves of numbers that cancel out is at most this part of their column."""

_LEAST, _MOST = 1e-130, 1e130
"""Between these, double precision has room for the squares of a number and of its rounding."""


def has_squares(largest: Tensor) -> Tensor:
    """Return whether numbers up to a largest amount may be squared; not where that is NaN."""
    return (largest == 0) | ((largest > _LEAST) & (largest < _MOST))


def qr(matrix: Tensor, mode: str = "reduced") -> Any:
    """Return Q and R with ``Q @ R == matrix``; raise where anything is infinite or NaN.

    Where rounding says what Q and R are, that raises, too: a column that depends on those before
    it leaves noise, and so does a number that cancels out, whose sign is asked for.
    """
    kind = matrix.dtype
    rows, columns = matrix.shape[-2:]
    count = min(rows, columns)
    whole = matrix.double()
    rest = checked(whole, has_squares(whole.abs().amax(dim=-2)))
    sizes = rest.square().sum(dim=-2, keepdim=True).sqrt()
    noise, reflections, told = torch.zeros_like(rest), [], []
    for k in range(count):
        told.append(_is_told(rest, noise, k))
        vector, factor = _reflection(rest, k)
        is_touched = _applied(torch.zeros_like(rest), vector.abs(), factor, rest.abs()) != 0
        noise = torch.where(is_touched, sizes * _NOISE[kind], noise)
        rest = _applied(rest, vector, factor, rest)
        reflections.append((vector, factor))
    is_told = torch.cat(told, dim=-1)
    upper = checked(rest.triu(), is_told).to(kind)
    if mode == "r":
        both = (torch.empty(0, dtype=kind), upper[..., :count, :])
        return torch.return_types.linalg_qr(both)  # type: ignore[attr-defined]
    width = rows if mode == "complete" else count
    q = torch.eye(rows, width, dtype=rest.dtype).expand(*matrix.shape[:-2], rows, width)
    for vector, factor in reversed(reflections):
        q = _applied(q, vector, factor, q)
    is_left = _is_left(rest.diagonal(dim1=-2, dim2=-1), sizes[..., 0, :count], _NOISE[kind])
    both = (checked(q.to(kind), is_told & is_left), upper[..., :width, :])
    return torch.return_types.linalg_qr(both)  # type: ignore[attr-defined]


def older_qr(matrix: Tensor, some: bool = True) -> Any:
    """Return the same for ``torch.qr``."""
    return torch.return_types.qr(tuple(qr(matrix, "reduced" if some else "complete")))


def _reflection(rest: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return the reflection that makes zeros in a column below the diagonal."""
    first, below = rest[..., k : k + 1, k : k + 1], rest[..., k + 1 :, k : k + 1]
    is_done = _are_zero(below)
    size = (first.square() + below.square().sum(dim=-2, keepdim=True)).sqrt()
    made = torch.where(first < 0, size, -size)
    factor = torch.where(is_done, 0.0, (made - first) / made)
    above = torch.zeros_like(rest[..., :k, :1])
    tail = torch.where(is_done, 0.0, below / (first - made))
    return torch.cat([above, torch.ones_like(first), tail], dim=-2), factor


def _are_zero(column: Tensor) -> Tensor:
    return (column != 0).sum(dim=-2, keepdim=True) == 0


def _applied(x: Tensor, vector: Tensor, factor: Tensor, reflected: Tensor) -> Tensor:
    return x - factor * (vector * (vector * reflected).sum(dim=-2, keepdim=True))


def _is_told(rest: Tensor, noise: Tensor, k: int) -> Tensor:
    """Return whether a reflection is what it would be without rounding.

    That is another one where nothing stands below the diagonal, and has the sign of what
    stands on it.
    """
    first, below = rest[..., k, k : k + 1], rest[..., k + 1 :, k : k + 1]
    most = noise[..., k:, k : k + 1].square().sum(dim=-2)
    noise_of_first, noise_below = noise[..., k, k : k + 1], noise[..., k + 1 :, k : k + 1]
    is_below_told = (below.square().sum(dim=-2) > most) | _are_zero(noise_below).squeeze(-2)
    is_first_told = (first.abs() > noise_of_first) | (noise_of_first == 0)
    return is_below_told & (_are_zero(below).squeeze(-2) | is_first_told)


def _is_left(diagonal: Tensor, sizes: Tensor, noise: float) -> Tensor:
    """Return for each column whether more than noise is left of it, or it is zero."""
    return (diagonal.abs() > sizes * noise) | (sizes == 0)
