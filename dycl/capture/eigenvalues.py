"""Eigenvalues and singular values of matrices with few rows or columns, by Jacobi's rotations.

A rotation for two rows and columns makes the number in both zero; pairs that have nothing in
common are rotated together, and a round takes all pairs once (Golub, Van Loan: Matrix
Computations, 8.5). Vectors are not given to programs: their signs are LAPACK's own.

Singular values are roots of the eigenvalues of ``A @ A.mT``, whose squares double precision has
room for: so for matrices of single precision only.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from dycl.capture.orthogonal import has_squares
from hcfg.checked_content import checked

_ROUNDS = 6
"""What is left off the diagonal then is rounding: in the end each round squares it."""


def eigvalsh(matrix: Tensor, UPLO: str = "L") -> Tensor:
    """Return the eigenvalues of a symmetric matrix, of which one triangle is looked at."""
    return _of_symmetric(matrix, UPLO).to(matrix.dtype)


def svdvals(matrix: Tensor) -> Tensor:
    """Return the singular values, the largest first."""
    return _singular(matrix).to(matrix.dtype)


def matrix_rank(
    matrix: Tensor,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    hermitian: bool = False,
) -> Tensor:
    """Return how many singular values are not as good as zero."""
    sizes = _of_symmetric(matrix, "L").abs() if hermitian else _singular(matrix)
    return _is_kept(matrix, sizes, atol, rtol).sum(dim=-1)


def pinv(matrix: Tensor, *, atol: float | None = None, rtol: float | None = None) -> Tensor:
    """Return the pseudo-inverse: singular values that are as good as zero are left out."""
    whole = _whole(matrix)
    is_high = matrix.shape[-2] >= matrix.shape[-1]
    values, vectors = _rotated(whole.mT @ whole if is_high else whole @ whole.mT)
    sizes = values.clamp(min=0.0).sqrt()
    parts = torch.where(_is_kept(matrix, sizes, atol, rtol), 1.0 / values, 0.0)
    inverse = (vectors * parts.unsqueeze(-2)) @ vectors.mT
    return (inverse @ whole.mT if is_high else whole.mT @ inverse).to(matrix.dtype)


def pinverse(matrix: Tensor, rcond: float = 1e-15) -> Tensor:
    """Return the same for ``torch.pinverse``."""
    return pinv(matrix, rtol=rcond)


def matrix_norm(
    A: Tensor, ord: str | float = "fro", dim: Sequence[int] = (-2, -1), keepdim: bool = False
) -> Tensor:
    """Return the largest singular value, or the sum of all."""
    del dim
    sizes = _singular(A)
    found = sizes.sum(dim=-1) if ord == "nuc" else sizes.amax(dim=-1)
    return (found[..., None, None] if keepdim else found).to(A.dtype)


def norm(
    A: Tensor,
    ord: str | float | None = None,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
) -> Tensor:
    """Return the same for ``torch.linalg.norm``."""
    del dim
    return matrix_norm(A, "fro" if ord is None else ord, keepdim=keepdim)


def _of_symmetric(matrix: Tensor, triangle: str) -> Tensor:
    below = _whole(matrix if triangle.upper() == "L" else matrix.mT).tril()
    values, _ = _rotated(below + below.tril(-1).mT)
    return values.sort(dim=-1).values


def _singular(matrix: Tensor) -> Tensor:
    whole = _whole(matrix)
    is_high = matrix.shape[-2] >= matrix.shape[-1]
    values, _ = _rotated(whole.mT @ whole if is_high else whole @ whole.mT)
    return values.clamp(min=0.0).sqrt().sort(dim=-1, descending=True).values


def _whole(matrix: Tensor) -> Tensor:
    """Return a matrix in double precision; raise where its squares would not fit, or NaN."""
    whole = matrix.double()
    return checked(whole, has_squares(whole.flatten(-2).abs().amax(dim=-1)))


def _is_kept(matrix: Tensor, sizes: Tensor, atol: float | None, rtol: float | None) -> Tensor:
    """Return which singular values PyTorch takes for more than zero; raise where rounding says."""
    rounding = torch.finfo(matrix.dtype).eps
    if rtol is None:
        rtol = rounding * max(matrix.shape[-2:]) if atol is None or atol <= 0 else 0.0
    largest = sizes.amax(dim=-1, keepdim=True)
    beyond = sizes - (largest * rtol).clamp(min=atol or 0.0)
    return checked(beyond, beyond.abs() >= largest * rounding) > 0


def _rotated(matrix: Tensor) -> tuple[Tensor, Tensor]:
    """Return the eigenvalues of a symmetric matrix, in no order, and their vectors."""
    rows = matrix.shape[-1]
    vectors = torch.eye(rows, dtype=matrix.dtype)
    pairings = [_constants(pairs, rows) for pairs in _pairings(rows)]
    for _ in range(_ROUNDS if rows > 2 else 1):
        for constants in pairings:
            rotation = _rotation(matrix, *constants)
            matrix, vectors = rotation.mT @ matrix @ rotation, vectors @ rotation
    return matrix.diagonal(dim1=-2, dim2=-1), vectors


def _rotation(matrix: Tensor, apart: Tensor, twice: Tensor, spread: Tensor, left: Tensor) -> Tensor:
    """Return the matrix of rotations after which the numbers at some pairs are zero."""
    elements = matrix.flatten(-2)
    between, difference = elements @ twice, elements @ apart
    size = (difference * difference + between * between).sqrt() + difference.abs()
    tangent = torch.where(difference < 0, -between, between) / size.clamp(min=_LEAST)
    cosine = 1 / (tangent * tangent + 1).sqrt()
    flat = torch.cat([cosine, tangent * cosine], dim=-1) @ spread + left
    return flat.reshape(matrix.shape)


_LEAST = 1e-300
"""What zero is divided by where there is nothing to rotate."""


def _constants(pairs: Sequence[tuple[int, int]], rows: int) -> tuple[Tensor, ...]:
    """Return what takes elements of a matrix for rotations of some pairs, and puts them there.

    They are made of lists: what is written into a tensor would be traced.
    """
    places = range(rows * rows)
    at = [(p * rows + p, q * rows + q, p * rows + q, q * rows + p) for p, q in pairs]
    apart = [[float(i == qq) - float(i == pp) for pp, qq, _, _ in at] for i in places]
    twice = [[2.0 * float(i == pq) for _, _, pq, _ in at] for i in places]
    cosines = [[float(i in (pp, qq)) for i in places] for pp, qq, _, _ in at]
    sines = [[float(i == pq) - float(i == qp) for i in places] for _, _, pq, qp in at]
    taken = {place for pp, qq, _, _ in at for place in (pp, qq)}
    left = [float(i % (rows + 1) == 0 and i not in taken) for i in places]
    made = (apart, twice, [*cosines, *sines], left)
    return tuple(torch.tensor(each, dtype=torch.float64) for each in made)


def _pairings(rows: int) -> list[list[tuple[int, int]]]:
    """Return all pairs of numbers, in lists of pairs that have nothing in common."""
    circle = list(range(rows + rows % 2))
    found = []
    for _ in range(len(circle) - 1):
        half = len(circle) // 2
        pairs = zip(circle[:half], reversed(circle[half:]), strict=True)
        found.append([(min(x), max(x)) for x in pairs if max(x) < rows])
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return [pairs for pairs in found if pairs]
