"""Arithmetic of complex numbers, by the formulas that PyTorch's own kernels compute."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from dycl.capture.real_arithmetic.pairs import Operand, Pairs, made_of, parts_of

Parts = tuple[Tensor, Tensor]


def _both(left: Operand, right: Operand, dtype: torch.dtype) -> tuple[Parts, Parts]:
    like = next(
        each.parts if isinstance(each, Pairs) else each
        for each in (left, right)
        if isinstance(each, Pairs | Tensor)
    )
    return parts_of(left, like, dtype), parts_of(right, like, dtype)


def _product(left: Parts, right: Parts) -> Parts:
    (a, b), (c, d) = left, right
    return a * c - b * d, a * d + b * c


def add(dtype: torch.dtype, left: Operand, right: Operand, *, alpha: complex = 1) -> Pairs:
    """Return ``left + alpha * right``: a product of complex numbers, even where alpha is 1."""
    (a, b), second = _both(left, right, dtype)
    c, d = _product(parts_of(alpha, second[0], dtype), second)
    return made_of(a + c, b + d)


def sub(dtype: torch.dtype, left: Operand, right: Operand, *, alpha: complex = 1) -> Pairs:
    """Return ``left - alpha * right``, a sum as well."""
    return add(dtype, left, right, alpha=-alpha)


def rsub(dtype: torch.dtype, left: Operand, right: Operand, alpha: complex = 1) -> Pairs:
    """Return ``right - alpha * left``."""
    return sub(dtype, right, left, alpha=alpha)


def mul(dtype: torch.dtype, left: Operand, right: Operand) -> Pairs:
    """Return the product."""
    return made_of(*_product(*_both(left, right, dtype)))


def div(dtype: torch.dtype, left: Operand, right: Operand) -> Pairs:
    """Return the quotient by Smith's method: by the larger part of ``right`` first."""
    (a, b), (c, d) = _both(left, right, dtype)
    is_real_larger = c.abs() >= d.abs()
    large, small = torch.where(is_real_larger, c, d), torch.where(is_real_larger, d, c)
    ratio = small / large
    scale = (large + small * ratio).reciprocal()
    real = torch.where(is_real_larger, a + b * ratio, a * ratio + b) * scale
    imag = torch.where(is_real_larger, b - a * ratio, b * ratio - a) * scale
    by_zero = (c == 0) & (d == 0)
    return made_of(torch.where(by_zero, a / c.abs(), real), torch.where(by_zero, b / d.abs(), imag))


def reciprocal(dtype: torch.dtype, x: Pairs) -> Pairs:
    """Return ``1 / x``."""
    return div(dtype, 1.0, x)


def neg(dtype: torch.dtype, x: Pairs) -> Pairs:
    """Return ``0 - x``: zeros lose their sign."""
    return Pairs(0 - x.parts)


def neg_view(dtype: torch.dtype, x: Pairs) -> Pairs:
    """Return ``-x`` as a lazy negative has it."""
    return Pairs(-x.parts)


def conj(dtype: torch.dtype, x: Pairs) -> Pairs:
    """Return the conjugate."""
    return made_of(x.real, -x.imag)


def exp(dtype: torch.dtype, x: Pairs) -> Pairs:
    """Return the exponential: a length that overflows may still have a part that does not."""
    length, more = x.real.clamp(max=80).exp(), (x.real - 80).clamp(min=0).exp()
    unknown = ~(x.imag.abs() < math.inf)
    sign = (x.imag > 0).to(dtype) - (x.imag < 0).to(dtype)
    angle = torch.where(unknown & (x.real == -math.inf), sign, x.imag)
    real = length * angle.cos() * more
    real = torch.where(unknown & (x.real == math.inf), x.real, real)
    imag = torch.where(x.imag == 0, x.imag, length * angle.sin() * more)
    return made_of(real, imag)


def power(dtype: torch.dtype, x: Pairs, exponent: Operand) -> Pairs:
    """Return a small power, which PyTorch computes by products, too."""
    if exponent == 1:
        return x
    if exponent != 2:
        raise NotImplementedError(f"the power {exponent} of complex numbers")
    return mul(dtype, x, x)


def absolute(dtype: torch.dtype, x: Pairs) -> Tensor:
    """Return the lengths: squares of the parts may overflow, those of their quotient do not."""
    real, imag = x.real.abs(), x.imag.abs()
    large, small = torch.maximum(real, imag), torch.minimum(real, imag)
    ratio = small / large
    length = large * (1 + ratio * ratio).sqrt()
    infinite = (real == math.inf) | (imag == math.inf)
    length = torch.where(large == 0, large, length)
    return torch.where(infinite, torch.full_like(length, math.inf), length)


def angle(dtype: torch.dtype, x: Pairs) -> Tensor:
    """Return the angles: the quadrant depends on the signs of zeros."""
    real, imag = x.real.abs(), x.imag.abs()
    both = (real == math.inf) & (imag == math.inf)
    slope = torch.where(both, torch.ones_like(real), imag / real)
    slope = torch.where((real == 0) & (imag == 0), torch.zeros_like(real), slope)
    first = slope.atan()
    upper = torch.where(_has_sign(x.real), math.pi - first, first)
    found = torch.where(_has_sign(x.imag), -upper, upper)
    unknown = (real != real) | (imag != imag)
    return torch.where(unknown, torch.full_like(found, math.nan), found)


def _has_sign(x: Tensor) -> Tensor:
    """Return whether a number is below zero, or the zero with a sign."""
    return (x < 0) | ((x == 0) & (x.reciprocal() < 0))


def equal(dtype: torch.dtype, left: Operand, right: Operand) -> Tensor:
    """Return where both parts are equal."""
    (a, b), (c, d) = _both(left, right, dtype)
    return (a == c) & (b == d)


def unequal(dtype: torch.dtype, left: Operand, right: Operand) -> Tensor:
    """Return where a part differs."""
    (a, b), (c, d) = _both(left, right, dtype)
    return (a != c) | (b != d)


def total(
    dtype: torch.dtype,
    /,
    x: Pairs,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
    **named: torch.dtype | None,
) -> Pairs:
    """Return the sum over some dimensions, or over all."""
    dims = [each % x.rank for each in dim or range(x.rank)] if x.rank else []
    parts = x.to(dtype).parts
    return Pairs(parts.sum(dims, keepdim=keepdim) if dims else parts.clone())


def mean(
    dtype: torch.dtype,
    /,
    x: Pairs,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
    **named: torch.dtype | None,
) -> Pairs:
    """Return the mean over some dimensions, or over all."""
    dims = dim or range(x.rank) if x.rank else ()
    count = math.prod(x.parts.shape[each % x.rank] for each in dims)
    return div(dtype, total(dtype, x, dim, keepdim), count)


def cumulated(dtype: torch.dtype, /, x: Pairs, dim: int, **named: torch.dtype | None) -> Pairs:
    """Return the sums so far."""
    if not x.rank:
        return x.to(dtype)
    return Pairs(x.to(dtype).parts.cumsum(dim % x.rank))


def products(multiply: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Pairs]:
    """Return a product of matrices of complex numbers, made of one of real numbers."""

    def product(dtype: torch.dtype, left: Pairs, right: Pairs) -> Pairs:
        (a, b), (c, d) = _both(left, right, dtype)
        return made_of(multiply(a, c) - multiply(b, d), multiply(a, d) + multiply(b, c))

    return product
