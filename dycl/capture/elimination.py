"""Inverses, solutions and determinants of small matrices, by elimination.

Gaussian elimination with partial pivoting, as LAPACK's ``getrf``
does it (Golub, Van Loan: Matrix Computations, 3.4), is a few operations for each column:

    [A | B]  --for each column: largest number to the diagonal, zeros below it-->  [U | C]
    [U | C]  --from the last row up: what is known taken off, divided-->           X with A X = B
"""

from typing import Any

import torch
from torch import Tensor

from dycl.capture.factors import first_place
from hcfg.checked_content import checked


def inverse(matrix: Tensor) -> Tensor:
    """Return the inverse; raise where there is none."""
    return _solved(matrix, torch.eye(matrix.shape[-1], dtype=matrix.dtype))


def solve(matrix: Tensor, right: Tensor) -> Tensor:
    """Return X with ``matrix @ X == right``; raise where a matrix is singular."""
    solution = _solved(matrix, _as_columns(matrix, right))
    return solution.squeeze(-1) if _is_vector(matrix, right) else solution


def _is_vector(matrix: Tensor, right: Tensor) -> bool:
    return right.dim() == 1 or (
        right.dim() == matrix.dim() - 1 and right.shape == matrix.shape[:-1]
    )


def _as_columns(matrix: Tensor, right: Tensor) -> Tensor:
    return right.unsqueeze(-1) if _is_vector(matrix, right) else right


def inverse_and_place(matrix: Tensor, *, check_errors: bool = False) -> Any:
    """Return the inverse, and the place of the first zero on the diagonal, from 1 on, or 0."""
    found, pivots = _columns(matrix, torch.eye(matrix.shape[-1], dtype=matrix.dtype))
    found = checked(found, pivots != 0) if check_errors else found
    places = first_place(pivots == 0)
    return torch.return_types.linalg_inv_ex((found, places))  # type: ignore[attr-defined]


def solve_and_place(matrix: Tensor, right: Tensor) -> Any:
    """Return X with ``matrix @ X == right``, and the place of the first zero likewise."""
    found, pivots = _columns(matrix, _as_columns(matrix, right))
    found = found.squeeze(-1) if _is_vector(matrix, right) else found
    both = found, first_place(pivots == 0)
    return torch.return_types.linalg_solve_ex(both)  # type: ignore[attr-defined]


def _solved(matrix: Tensor, columns: Tensor) -> Tensor:
    """Return X with ``matrix @ X == columns``; raise where a matrix is singular."""
    found, pivots = _columns(matrix, columns)
    return checked(found, pivots != 0)


def _columns(matrix: Tensor, columns: Tensor) -> tuple[Tensor, Tensor]:
    """Return X with ``matrix @ X == columns``, and the diagonal that was divided by."""
    sizes = matrix.shape[:-2], columns.shape[:-2]
    batch = torch.broadcast_shapes(*sizes)  # type: ignore[no-untyped-call]
    n = matrix.shape[-1]
    both = [x.expand(*batch, *x.shape[-2:]) for x in (matrix, columns)]
    rows, _ = _eliminated(torch.cat(both, dim=-1), n)
    found: list[Tensor] = []
    for k in reversed(range(n)):
        known = [
            rows[..., k : k + 1, j] * x for j, x in zip(range(n - 1, k, -1), found, strict=True)
        ]
        rest = rows[..., k, n:]
        for product in known:
            rest = rest - product
        found.append(rest / rows[..., k : k + 1, k])
    pivots = rows.diagonal(dim1=-2, dim2=-1)
    return torch.stack(found[::-1], dim=-2), pivots


def determinant(matrix: Tensor) -> Tensor:
    """Return the determinant."""
    n = matrix.shape[-1]
    rows, swaps = _eliminated(matrix.mT, n)  # as PyTorch: it shows where a number is infinite
    found = torch.ones(matrix.shape[:-2], dtype=matrix.dtype)
    for k in range(n):
        found = found * rows[..., k, k]
    is_odd = swaps.remainder(2) != 0
    return torch.where(is_odd, -found, found)


def _sign_and_log(matrix: Tensor) -> tuple[Tensor, Tensor]:
    rows, swaps = _eliminated(matrix.mT, matrix.shape[-1])
    pivots = rows.diagonal(dim1=-2, dim2=-1)
    sign = pivots.sign().prod(dim=-1)
    return torch.where(swaps.remainder(2) != 0, -sign, sign), pivots.abs().log().sum(dim=-1)


def sign_and_log_of_determinant(matrix: Tensor) -> Any:
    """Return the sign of the determinant, and the logarithm of its amount."""
    return torch.return_types.linalg_slogdet(_sign_and_log(matrix))  # type: ignore[attr-defined]


def log_of_determinant(matrix: Tensor) -> Tensor:
    """Return the logarithm of the determinant; NaN of a negative one."""
    sign, log = _sign_and_log(matrix)
    return torch.where(sign == -1, torch.nan, log)


def _eliminated(rows: Tensor, n: int) -> tuple[Tensor, Tensor]:
    """Return rows with zeros below the diagonal of the first n columns; how many were swapped."""
    places = torch.arange(n)
    swaps = torch.zeros(rows.shape[:-2], dtype=torch.int64)
    for k in range(n - 1):
        largest = rows[..., k:, k].abs().argmax(dim=-1, keepdim=True) + k
        swaps = swaps + (largest.squeeze(-1) != k)
        order = torch.where(places == k, largest, torch.where(places == largest, k, places))
        rows = rows.gather(-2, order.unsqueeze(-1).expand(rows.shape))
        pivot = rows[..., k : k + 1, k]
        below = rows[..., k + 1 :, k]
        # a column of zeros has nothing to eliminate
        factors = torch.where(pivot == 0, 0.0, below / pivot)
        rest = rows[..., k + 1 :, :] - factors.unsqueeze(-1) * rows[..., k : k + 1, :]
        rows = torch.cat([rows[..., : k + 1, :], rest], dim=-2)
    return rows, swaps
