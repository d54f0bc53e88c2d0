"""Elimination spelled out in operations gives what LAPACK gives, not only for ordinary numbers."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from dycl.capture.small_matrices import MOST_ROWS, SmallMatrices


def inverse_and_place(a: Tensor, b: Tensor) -> Tensor:
    """Return what ``inv_ex`` gives, the place in a row of its own."""
    inverse, info = torch.linalg.inv_ex(a)
    return torch.cat([inverse, info[..., None, None].expand_as(inverse[..., :1, :])], dim=-2)


pytestmark = pytest.mark.filterwarnings("ignore:torch.triangular_solve is deprecated:UserWarning")

FUNCTIONS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "inverse": lambda a, b: torch.inverse(a),
    "method": lambda a, b: a.inverse(),
    "inverse and place": inverse_and_place,
    "solve": torch.linalg.solve,
    "vector": lambda a, b: torch.linalg.solve(a, b[..., 0]),
    "determinant": lambda a, b: torch.linalg.det(a),
    "cholesky": lambda a, b: torch.linalg.cholesky(a @ a.mT),
    "lower": lambda a, b: torch.linalg.solve_triangular(a, b, upper=False),
    "upper": lambda a, b: torch.linalg.solve_triangular(a, b, upper=True),
    "from the right": lambda a, b: torch.linalg.solve_triangular(a, b.mT, upper=True, left=False),
    "ones on the diagonal": lambda a, b: torch.linalg.solve_triangular(
        a, b, upper=False, unitriangular=True
    ),
    "with the matrix": lambda a, b: torch.cat(torch.triangular_solve(b, a, upper=False), dim=-1),
    "turned": lambda a, b: b.triangular_solve(a, True, True).solution,
    "by a factor": lambda a, b: torch.cholesky_solve(b, a),
    "by an upper factor": lambda a, b: b.cholesky_solve(a, upper=True),
    "sign and log": lambda a, b: torch.stack(torch.linalg.slogdet(a)),
    "log": lambda a, b: torch.logdet(a),
}
EXTREMES = [float("nan"), float("inf"), -float("inf"), 0.0]


def outcome(function: Callable[[Tensor, Tensor], Tensor], a: Tensor, b: Tensor) -> Tensor | str:
    try:
        return function(a, b)
    except (RuntimeError, IndexError):
        return "raises"


def spelled_out(function: Callable[[Tensor, Tensor], Tensor], a: Tensor, b: Tensor) -> Tensor | str:
    with SmallMatrices():
        return outcome(function, a, b)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("rows", range(1, MOST_ROWS + 1))
@pytest.mark.parametrize("batch", [(), (4,), (2, 3)], ids=str)
def test_ordinary_numbers(name: str, rows: int, batch: tuple[int, ...]) -> None:
    generator = torch.Generator().manual_seed(rows)
    a = torch.randn(*batch, rows, rows, dtype=torch.float64, generator=generator)
    b = torch.randn(*batch, rows, 2, dtype=torch.float64, generator=generator)
    if rows > 1:
        a[..., 0, 0] = 0  # another row is needed first
    expected, found = FUNCTIONS[name](a, b), spelled_out(FUNCTIONS[name], a, b)
    torch.testing.assert_close(found, expected, rtol=1e-7, atol=1e-7, equal_nan=True)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("rows", [1, 2, 3, 4])
def test_numbers_that_are_not_finite_and_zeros(name: str, rows: int) -> None:
    generator = torch.Generator().manual_seed(rows)
    for number in EXTREMES:
        for place in range(rows * rows):
            a = torch.randn(rows, rows, generator=generator)
            a.view(-1)[place] = number
            b = torch.randn(rows, 2, generator=generator)
            expected, found = outcome(FUNCTIONS[name], a, b), spelled_out(FUNCTIONS[name], a, b)
            if isinstance(expected, str) or isinstance(found, str):
                assert found == expected, (number, place)
            else:
                torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-3, equal_nan=True)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_singular_matrices(name: str) -> None:
    """One of a batch is enough to raise; the determinant is zero."""
    a = torch.stack([torch.eye(3), torch.zeros(3, 3), torch.ones(3, 3)])
    b = torch.ones(3, 3, 2)
    expected, found = outcome(FUNCTIONS[name], a, b), spelled_out(FUNCTIONS[name], a, b)
    assert isinstance(expected, str) == isinstance(found, str)
    if not isinstance(expected, str):
        torch.testing.assert_close(found, expected, equal_nan=True)


def test_large_and_complex_matrices_are_left_as_they_are() -> None:
    large = torch.eye(MOST_ROWS + 1)
    turned = torch.eye(2, dtype=torch.complex64) * 1j
    with SmallMatrices():
        assert torch.equal(torch.inverse(large), large)
        torch.testing.assert_close(torch.inverse(turned), -turned)


BY_SHAPE: dict[str, Callable[[Tensor], Tensor]] = {
    "orthogonal": lambda a: torch.linalg.qr(a).Q,
    "upper triangle": lambda a: torch.linalg.qr(a, mode="r").R,
    "whole orthogonal": lambda a: a.qr(some=False).Q,
    "exponential": lambda a: torch.matrix_exp(a @ a.mT),
    "negative power": lambda a: torch.linalg.matrix_power(a @ a.mT + torch.eye(a.shape[-2]), -3),
    "eigenvalues": lambda a: torch.linalg.eigvalsh(a @ a.mT),
    "upper eigenvalues": lambda a: torch.linalg.eigvalsh((a @ a.mT).triu(), UPLO="U"),
    "singular values": torch.linalg.svdvals,
    "rank": torch.linalg.matrix_rank,
    "pseudo-inverse": torch.linalg.pinv,
    "older pseudo-inverse": lambda a: a.pinverse(rcond=0.3),
    "spectral norm": lambda a: torch.linalg.matrix_norm(a, 2, keepdim=True),
    "nuclear norm": lambda a: torch.linalg.matrix_norm(a, "nuc"),
}


@pytest.mark.filterwarnings("ignore:torch.qr is deprecated:UserWarning")
@pytest.mark.parametrize("name", BY_SHAPE)
@pytest.mark.parametrize("rows", range(1, 5))
@pytest.mark.parametrize("columns", range(1, 5))
def test_functions_of_few_rows_or_columns(name: str, rows: int, columns: int) -> None:
    generator = torch.Generator().manual_seed(rows)
    ordinary = torch.randn(3, rows, columns, generator=generator)
    upper = torch.eye(rows, columns).expand(3, rows, columns)
    for a in (ordinary, upper, -upper, torch.zeros_like(upper)):
        expected = BY_SHAPE[name](a)
        with SmallMatrices():
            found = BY_SHAPE[name](a)
        torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-4)


def test_what_rounding_would_say_raises() -> None:
    ones = torch.ones(2, 2)
    with SmallMatrices():
        for found in (torch.linalg.qr(ones, mode="r").R, torch.linalg.svdvals(ones)):
            assert found.isfinite().all()
        for call in (
            lambda: torch.linalg.qr(ones),
            lambda: torch.linalg.matrix_rank(ones, atol=1e-9),
            lambda: torch.matrix_exp(ones * 1e3),
            lambda: torch.linalg.eigvalsh(ones * torch.nan),
        ):
            with pytest.raises((RuntimeError, IndexError)):
                call()


@pytest.mark.parametrize("part", [0, 1])
@pytest.mark.parametrize(
    "rows",
    [
        [[-1.0, -1.0], [-1.0, -1.0], [-1.0, -1.0], [0.0, -1.0]],
        [[1e-200, 2e-200], [2e-200, 3e-200]],
        [[1e200, 2e200], [2e200, 3e200]],
    ],
)
def test_signs_that_rounding_would_say_raise(rows: list[list[float]], part: int) -> None:
    """What cancels out has no sign of its own, and some squares are no numbers."""
    matrix = torch.tensor(rows, dtype=torch.float64)
    with SmallMatrices(), pytest.raises((RuntimeError, IndexError)):
        torch.linalg.qr(matrix)[part]


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_eigenvalues_whose_squares_are_no_numbers_raise(size: float) -> None:
    """Rotations are made of squares."""
    matrix = torch.tensor([[1.0, 2.0], [2.0, 3.0]], dtype=torch.float64) * size
    with SmallMatrices(), pytest.raises((RuntimeError, IndexError)):
        torch.linalg.eigvalsh(matrix)


def test_zeros_of_a_triangle_tell_signs_in_qr() -> None:
    """Zeros that stand there are no rounding; neither is what is small beside another."""
    matrix = torch.tensor([[2.0, 1.0, 0.0], [0.0, 3.0, 1.0], [0.0, 0.0, 4.0]], dtype=torch.float64)
    small = torch.tensor([[1.0, 2.0], [1e-200, 3.0]], dtype=torch.float64)
    parts = torch.tensor([[1.0, 2.0, 0.0], [3.0, 4.0, 0.0], [0.0, 0.0, 5.0]], dtype=torch.float64)
    for each in (matrix, matrix.mT, small, parts):
        expected = torch.linalg.qr(each)
        with SmallMatrices():
            found = torch.linalg.qr(each)
        for one, other in zip(found, expected, strict=True):
            torch.testing.assert_close(one, other)
