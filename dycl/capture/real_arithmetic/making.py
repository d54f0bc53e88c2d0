"""Complex tensors made of real ones and of nothing, and real ones made of them."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from dycl.capture.real_arithmetic.pairs import Number, Pairs, made_of, part_dtype, parts_of


def of_pairs(dtype: torch.dtype, x: Tensor) -> Pairs:
    """Return what ``view_as_complex`` gives."""
    return Pairs(x)


def as_pairs(dtype: torch.dtype, x: Pairs) -> Tensor:
    """Return what ``view_as_real`` gives."""
    return x.parts


def same(dtype: torch.dtype, /, x: Pairs, **named: Any) -> Pairs:
    """Return the numbers as they are."""
    return Pairs(x.parts.clone())


def of_parts(dtype: torch.dtype, real: Tensor, imag: Tensor) -> Pairs:
    """Return numbers with these parts."""
    return made_of(real, imag)


def polar(dtype: torch.dtype, length: Tensor, angle: Tensor) -> Pairs:
    """Return numbers with these lengths and angles."""
    return of_parts(dtype, length * angle.cos(), length * angle.sin())


def converted(
    _: torch.dtype, /, x: Pairs | Tensor, *, dtype: torch.dtype | None = None, **named: Any
) -> Pairs | Tensor:
    """Return the numbers as another type: real ones have their real parts."""
    if dtype is not None and not dtype.is_complex:
        assert isinstance(x, Pairs)
        return (x.parts != 0).any(-1) if dtype == torch.bool else x.real.to(dtype)
    if isinstance(x, Tensor):
        assert dtype is not None
        return made_of(*parts_of(x, x, part_dtype(dtype)))
    return x if dtype is None else x.to(part_dtype(dtype))


def reinterpreted(dtype: torch.dtype, x: Pairs | Tensor, wanted: torch.dtype) -> Pairs | Tensor:
    """Return the same memory as another type: complex numbers are two real ones."""
    if isinstance(x, Pairs) and wanted == x.parts.dtype:
        return x.parts.flatten(-2) if x.rank else x.parts
    if isinstance(x, Tensor) and wanted.is_complex and part_dtype(wanted) == x.dtype:
        return Pairs(x.reshape(*x.shape[:-1], -1, 2))
    raise NotImplementedError(f"memory of complex numbers as {wanted}")


def full(dtype: torch.dtype, /, sizes: Sequence[int], value: complex, **named: Any) -> Pairs:
    """Return a tensor of one number."""
    number = complex(value)
    shape = list(sizes)
    return made_of(
        torch.full(shape, number.real, dtype=dtype), torch.full(shape, number.imag, dtype=dtype)
    )


def zeros(dtype: torch.dtype, /, sizes: Sequence[int], **named: Any) -> Pairs:
    """Return zeros."""
    return full(dtype, sizes, 0)


def ones(dtype: torch.dtype, /, sizes: Sequence[int], **named: Any) -> Pairs:
    """Return ones."""
    return full(dtype, sizes, 1)


def number(dtype: torch.dtype, /, value: complex, **named: Any) -> Pairs:
    """Return one number."""
    return full(dtype, (), value)


def _shape(x: Pairs | Tensor) -> Sequence[Any]:
    return x.parts.shape[:-1] if isinstance(x, Pairs) else x.shape


def full_like(
    dtype: torch.dtype, /, x: Pairs | Tensor, value: complex, **named: Any
) -> Pairs | Tensor:
    """Return a tensor of one number, of the shape of another."""
    wanted = named.get("dtype")
    if wanted is not None and not wanted.is_complex:
        return torch.full(_shape(x), value, dtype=wanted)
    return full(dtype, _shape(x), value)


def zeros_like(dtype: torch.dtype, /, x: Pairs | Tensor, **named: Any) -> Pairs | Tensor:
    """Return zeros of the shape of another tensor."""
    return full_like(dtype, x, 0, **named)


def ones_like(dtype: torch.dtype, /, x: Pairs | Tensor, **named: Any) -> Pairs | Tensor:
    """Return ones of the shape of another tensor."""
    return full_like(dtype, x, 1, **named)


def filled(dtype: torch.dtype, x: Pairs, value: Number) -> Pairs:
    """Return one number in every place."""
    return full(dtype, _shape(x), complex(value))


def emptied(dtype: torch.dtype, x: Pairs) -> Pairs:
    """Return zeros in every place."""
    return full(dtype, _shape(x), 0)


def new_full(
    dtype: torch.dtype, /, x: Pairs | Tensor, sizes: Sequence[int], value: complex, **named: Any
) -> Pairs | Tensor:
    """Return a tensor of one number, of the type of another."""
    wanted = named.get("dtype")
    if wanted is not None and not wanted.is_complex:
        return torch.full(list(sizes), value, dtype=wanted)
    return full(dtype, sizes, value)


def new_zeros(
    dtype: torch.dtype, /, x: Pairs | Tensor, sizes: Sequence[int], **named: Any
) -> Pairs | Tensor:
    """Return zeros of the type of another tensor."""
    return new_full(dtype, x, sizes, 0, **named)


def new_ones(
    dtype: torch.dtype, /, x: Pairs | Tensor, sizes: Sequence[int], **named: Any
) -> Pairs | Tensor:
    """Return ones of the type of another tensor."""
    return new_full(dtype, x, sizes, 1, **named)
