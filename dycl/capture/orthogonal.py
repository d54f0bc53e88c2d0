"""QR decompositions of matrices with few rows or columns, spelled out as Householder reflections.

Signs are those of LAPACK's ``geqrf`` (``larfg``): a number of the diagonal of R has the opposite
sign of what stood there, and a column that is zero below the diagonal is left as it is.
"""

from typing import Any

import torch
from torch import Tensor

from hcfg.checked_content import checked

_NOISE = {torch.float32: 1e-5, torch.float64: 1e-12}
"""What remains of a column that depends on those before it is at most this part of it."""


def qr(matrix: Tensor, mode: str = "reduced") -> Any:
    """Return Q and R with ``Q @ R == matrix``; raise where anything is infinite or NaN.

    A column that depends on those before it leaves noise, which says what Q is: that raises, too.
    """
    kind = matrix.dtype
    rows, columns = matrix.shape[-2:]
    count = min(rows, columns)
    whole = checked(matrix, matrix.isfinite()).double()
    rest, reflections = whole, []
    for k in range(count):
        rest, reflection = _reflected(rest, k)
        reflections.append(reflection)
    upper = rest.triu()
    if mode == "r":
        both = (torch.empty(0, dtype=kind), upper[..., :count, :].to(kind))
        return torch.return_types.linalg_qr(both)  # type: ignore[attr-defined]
    width = rows if mode == "complete" else count
    q = torch.eye(rows, width, dtype=rest.dtype).expand(*matrix.shape[:-2], rows, width)
    for vector, factor in reversed(reflections):
        q = _applied(q, vector, factor)
    is_certain = _is_certain(whole[..., :count], upper, _NOISE[kind])
    both = (checked(q.to(kind), is_certain), upper[..., :width, :].to(kind))
    return torch.return_types.linalg_qr(both)  # type: ignore[attr-defined]


def older_qr(matrix: Tensor, some: bool = True) -> Any:
    """Return the same for ``torch.qr``."""
    return torch.return_types.qr(tuple(qr(matrix, "reduced" if some else "complete")))


def _reflected(rest: Tensor, k: int) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """Return what has zeros in a column below the diagonal, and the reflection that makes it so."""
    first, below = rest[..., k : k + 1, k : k + 1], rest[..., k + 1 :, k : k + 1]
    squares = below.square().sum(dim=-2, keepdim=True)
    is_done = squares == 0
    size = (first.square() + squares).sqrt()
    made = torch.where(first < 0, size, -size)
    factor = torch.where(is_done, 0.0, (made - first) / made)
    above = torch.zeros_like(rest[..., :k, :1])
    tail = torch.where(is_done, 0.0, below / (first - made))
    vector = torch.cat([above, torch.ones_like(first), tail], dim=-2)
    return _applied(rest, vector, factor), (vector, factor)


def _applied(x: Tensor, vector: Tensor, factor: Tensor) -> Tensor:
    return x - factor * (vector * (vector * x).sum(dim=-2, keepdim=True))


def _is_certain(columns: Tensor, upper: Tensor, noise: float) -> Tensor:
    """Return for each column whether more than noise remains of it, or it is zero."""
    remains = upper.diagonal(dim1=-2, dim2=-1).abs()
    sizes = columns.square().sum(dim=-2).sqrt()
    return (remains > sizes * noise) | (sizes == 0)
