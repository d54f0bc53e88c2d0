"""Triangular systems, spelled out as substitution: row by row, what is known is taken off.

The other triangle is not looked at, and nothing is exchanged: a zero on the diagonal gives what a
division by zero gives, as BLAS's ``trsm`` does.
"""

from typing import Any

import torch
from torch import Tensor


def solve_triangular(
    matrix: Tensor, right: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """Return X with ``matrix @ X == right``, or ``X @ matrix == right``."""
    if not left:
        return solve_triangular(
            matrix.mT, right.mT, upper=not upper, unitriangular=unitriangular
        ).mT
    sizes = matrix.shape[:-2], right.shape[:-2]
    batch = torch.broadcast_shapes(*sizes)  # type: ignore[no-untyped-call]
    right = right.expand(*batch, *right.shape[-2:])
    rows = range(matrix.shape[-1])
    found: dict[int, Tensor] = {}
    for k in reversed(rows) if upper else rows:
        rest = right[..., k, :]
        for j, known in found.items():
            rest = rest - matrix[..., k, j, None] * known
        found[k] = rest if unitriangular else rest / matrix[..., k, k, None]
    return torch.stack([found[k] for k in rows], dim=-2)


def triangular_solve(
    right: Tensor,
    matrix: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> Any:
    """Return the same as ``torch.triangular_solve``, which gives the matrix, too."""
    turned, upper = (matrix.mT, not upper) if transpose else (matrix, upper)
    solution = solve_triangular(turned, right, upper=upper, unitriangular=unitriangular)
    both = (solution, matrix.expand(*solution.shape[:-2], *matrix.shape[-2:]).clone())
    return torch.return_types.triangular_solve(both)


def cholesky_solve(right: Tensor, factor: Tensor, upper: bool = False) -> Tensor:
    """Return X with ``A @ X == right``, where a factor of A is given."""
    lower = factor.mT if upper else factor
    return solve_triangular(lower.mT, solve_triangular(lower, right, upper=False), upper=True)


def cholesky_inverse(factor: Tensor, upper: bool = False) -> Tensor:
    """Return the inverse of the matrix of which a factor is given."""
    return cholesky_solve(torch.eye(factor.shape[-1], dtype=factor.dtype), factor, upper)
