"""Exponentials of matrices: a Taylor polynomial of what is halved, squared as often.

Bader, Blanes, Casas: Computing the matrix exponential with an optimized Taylor polynomial
approximation (2019), as PyTorch's kernel; here always of degree 18, in double precision.
"""

import torch
from torch import Tensor

from hcfg.checked_content import checked

_DEGREE = 18
_MOST_HALVINGS = 16


def matrix_exp(matrix: Tensor) -> Tensor:
    """Return the exponential; raise where it is not finite, or the matrix is very large."""
    rows = matrix.shape[-1]
    if rows == 1:
        return matrix.exp()
    x = matrix.double()
    size = x.abs().sum(dim=-2, keepdim=True).amax(dim=-1, keepdim=True)
    part = torch.ones_like(size)
    for k in range(_MOST_HALVINGS):
        part = torch.where(size > 2.0**k, 0.5 ** (k + 1), part)
    x, one = x * part, torch.eye(rows, dtype=torch.float64)
    found = one + x / _DEGREE
    for k in range(_DEGREE - 1, 0, -1):
        found = one + x @ found / k
    for k in range(_MOST_HALVINGS):
        found = torch.where(size > 2.0**k, found @ found, found)
    result = found.to(matrix.dtype)
    is_fine = result.isfinite() & (size <= 2.0**_MOST_HALVINGS)
    return checked(result, is_fine | size.isfinite().logical_not())
