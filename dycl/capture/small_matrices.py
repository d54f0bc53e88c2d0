"""Functions of matrices for which ONNX has no operator, spelled out step by step.

Inverses, solutions and determinants are elimination, factors and triangular systems go column by
column or row by row, eigenvalues and singular values are rotated to the diagonal.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from dycl.capture.eigenvalues import (
    eigvalsh,
    matrix_norm,
    matrix_rank,
    norm,
    pinv,
    pinverse,
    svdvals,
)
from dycl.capture.elimination import (
    determinant,
    inverse,
    inverse_and_place,
    log_of_determinant,
    sign_and_log_of_determinant,
    solve,
    solve_and_place,
)
from dycl.capture.exponentials import matrix_exp
from dycl.capture.factors import cholesky, cholesky_and_place
from dycl.capture.orthogonal import older_qr, qr
from dycl.capture.triangles import (
    cholesky_inverse,
    cholesky_solve,
    solve_triangular,
    triangular_solve,
)

MOST_ROWS = 8
"""Larger matrices are left as they are: each column is a dozen operations."""


class SmallMatrices(TorchFunctionMode):
    """While active, what can be done by elimination in small real matrices is done so."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Eliminate where it is known how."""
        options = kwargs or {}
        spelled_out = _SPELLED_OUT.get(func) or _TRIANGULAR.get(func)
        if spelled_out is not None and _is_small(func, args, options):
            return spelled_out(*args, **options)
        by_shape = _BY_SHAPE.get(func)
        if by_shape is not None and _fits(*by_shape, args, options):
            return by_shape[0](*args, **options)
        return func(*args, **options)


def _is_small(
    func: Callable[..., Any], operands: Sequence[object], options: Mapping[str, Any]
) -> bool:
    """Return whether all are real, and there are square matrices of few rows; options are known."""
    tensors = [x for x in operands if isinstance(x, Tensor)]
    others = [x for x in operands if not isinstance(x, Tensor)]
    if not all(isinstance(x, bool) for x in (*others, *options.values())):
        return False
    place = _SECOND.get(func, 0)
    if len(tensors) <= place or not all(x.dtype in _TYPES for x in tensors):
        return False
    matrix = tensors[place]
    if min(x.dim() for x in tensors[: place + 1]) < 2:
        return False
    rows, columns = matrix.shape[-2:]
    return type(rows) is int and type(columns) is int and 0 < rows == columns <= MOST_ROWS


_TYPES = frozenset({torch.float32, torch.float64})


_Options = Mapping[str, Any]
_Shaped = tuple[Callable[..., Any], Callable[[Tensor, _Options], bool]]


def _fits(
    spelled_out: Callable[..., Any],
    is_taken: Callable[[Tensor, _Options], bool],
    operands: Sequence[object],
    options: _Options,
) -> bool:
    """Return whether there is one real matrix of a known shape, taken with its options."""
    try:
        call = inspect.signature(spelled_out).bind(*operands, **options)
    except TypeError:
        return False
    call.apply_defaults()
    matrix, *others = call.arguments.values()
    if not isinstance(matrix, Tensor) or matrix.dtype not in _TYPES or matrix.dim() < 2:
        return False
    sizes = matrix.shape[-2:]
    is_known = all(type(size) is int and size > 0 for size in sizes)
    return is_known and not any(map(_is_tensor, others)) and is_taken(matrix, call.arguments)


def _is_tensor(value: object) -> bool:
    return isinstance(value, Tensor)


_SPELLED_OUT: dict[Callable[..., Any], Callable[..., Any]] = {
    torch.inverse: inverse,
    torch.linalg.inv: inverse,
    Tensor.inverse: inverse,
    torch.linalg.inv_ex: inverse_and_place,
    torch.linalg.solve: solve,
    torch.det: determinant,
    torch.linalg.det: determinant,
    Tensor.det: determinant,
    torch.linalg.solve_ex: solve_and_place,
    torch.linalg.cholesky: cholesky,
    torch.cholesky: cholesky,
    Tensor.cholesky: cholesky,
    torch.linalg.cholesky_ex: cholesky_and_place,
    torch.linalg.slogdet: sign_and_log_of_determinant,
    torch.slogdet: sign_and_log_of_determinant,
    Tensor.slogdet: sign_and_log_of_determinant,
    torch.logdet: log_of_determinant,
    Tensor.logdet: log_of_determinant,
}
"""By function: what gives the same for small matrices."""

_TRIANGULAR: dict[Callable[..., Any], Callable[..., Any]] = {
    torch.linalg.solve_triangular: solve_triangular,
    torch.triangular_solve: triangular_solve,
    Tensor.triangular_solve: triangular_solve,
    torch.cholesky_solve: cholesky_solve,
    Tensor.cholesky_solve: cholesky_solve,
    torch.cholesky_inverse: cholesky_inverse,
    Tensor.cholesky_inverse: cholesky_inverse,
}
"""The same for triangular ones, with options."""

_SECOND = dict.fromkeys(
    (torch.triangular_solve, Tensor.triangular_solve, torch.cholesky_solve, Tensor.cholesky_solve),
    1,
)
"""Which operand is the matrix, where it is not the first one."""


def _negative_power(matrix: Tensor, n: int) -> Tensor:
    power: Tensor = torch.linalg.matrix_power(inverse(matrix), -n)
    return power


def _is_inverted(matrix: Tensor, options: _Options) -> bool:
    is_small = _is_square(matrix, options) and matrix.shape[-1] <= MOST_ROWS
    return is_small and type(options["n"]) is int and options["n"] < 0


def _is_square(matrix: Tensor, _: _Options) -> bool:
    return bool(matrix.shape[-2] == matrix.shape[-1])


def _has_few_columns(matrix: Tensor, _: _Options) -> bool:
    return bool(min(matrix.shape[-2:]) <= MOST_ROWS)


def _is_rotated(matrix: Tensor, options: _Options) -> bool:
    """Return whether eigenvalues of the matrix itself are asked for, or those of its squares."""
    is_symmetric = "UPLO" in options or options.get("hermitian", False)
    if min(matrix.shape[-2:]) > _MOST_ROTATED:
        return False
    return _is_square(matrix, options) if is_symmetric else matrix.dtype == torch.float32


def _is_norm_of_values(matrix: Tensor, options: _Options) -> bool:
    dim = options["dim"]
    is_last = matrix.dim() == 2 if dim is None else dim in ((-2, -1), [-2, -1])
    return is_last and options["ord"] in (2, "nuc") and _is_rotated(matrix, options)


_MOST_ROTATED = 4
"""Of more rows there are many rounds: each is two dozen operations."""

_BY_SHAPE: dict[Callable[..., Any], _Shaped] = {
    torch.linalg.qr: (qr, _has_few_columns),
    torch.qr: (older_qr, _has_few_columns),
    Tensor.qr: (older_qr, _has_few_columns),
    torch.matrix_exp: (matrix_exp, _is_square),
    torch.linalg.matrix_exp: (matrix_exp, _is_square),
    Tensor.matrix_exp: (matrix_exp, _is_square),
    torch.matrix_power: (_negative_power, _is_inverted),
    torch.linalg.matrix_power: (_negative_power, _is_inverted),
    Tensor.matrix_power: (_negative_power, _is_inverted),
    torch.linalg.eigvalsh: (eigvalsh, _is_rotated),
    torch.linalg.svdvals: (svdvals, _is_rotated),
    torch.linalg.matrix_rank: (matrix_rank, _is_rotated),
    torch.linalg.pinv: (pinv, _is_rotated),
    torch.pinverse: (pinverse, _is_rotated),
    Tensor.pinverse: (pinverse, _is_rotated),
    torch.linalg.matrix_norm: (matrix_norm, _is_norm_of_values),
    torch.linalg.norm: (norm, _is_norm_of_values),
}
"""What gives the same for matrices that are asked for."""
