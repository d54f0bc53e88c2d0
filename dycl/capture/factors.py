"""Factors of small matrices, spelled out column by column."""

from typing import Any

import torch
from torch import Tensor

from hcfg.checked_content import checked


def cholesky(matrix: Tensor, upper: bool = False) -> Tensor:
    """Return the lower triangle L with ``L @ L.mT == matrix``; raise where there is none."""
    factor, pivots = _cholesky(matrix.mT if upper else matrix)
    found = checked(_judged(factor, pivots), pivots > 0)
    return found.mT if upper else found


def cholesky_and_place(matrix: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """Return the triangle, and the order of the first minor that is not positive, or 0.

    What LAPACK leaves of a triangle that there is not depends on how it goes about it, and so does
    whether there is one beside an infinite number: who looks at it, meets an error here.
    """
    del check_errors
    factor, pivots = _cholesky(matrix.mT if upper else matrix)
    is_there = pivots > 0
    found = checked(factor, is_there)
    places = first_place(is_there.logical_not())
    both = found.mT if upper else found, _judged(places, pivots)
    return torch.return_types.linalg_cholesky_ex(both)  # type: ignore[attr-defined]


def _judged(found: Tensor, pivots: Tensor) -> Tensor:
    """Return what was found; raise where an infinite number was divided by."""
    return checked(found, pivots[..., :-1] != torch.inf)


def _cholesky(matrix: Tensor) -> tuple[Tensor, Tensor]:
    """Return the lower triangle, and the squares of its diagonal: positive if there is one."""
    columns: list[Tensor] = []
    pivots: list[Tensor] = []
    for k in range(matrix.shape[-1]):
        rest = matrix[..., k:, k]
        for column in columns:
            rest = rest - column[..., k:] * column[..., k : k + 1]
        pivots.append(rest[..., :1])
        above = torch.zeros((*matrix.shape[:-2], k), dtype=matrix.dtype)
        root = rest[..., :1].sqrt()
        columns.append(torch.cat([above, root, rest[..., 1:] / root], dim=-1))
    return torch.stack(columns, dim=-1), torch.cat(pivots, dim=-1)


def first_place(is_wrong: Tensor) -> Tensor:
    """Return the place of the first that is wrong in each row, from 1 on, or 0."""
    places = torch.where(is_wrong.any(dim=-1), is_wrong.int().argmax(dim=-1) + 1, 0)
    return places.int()
