"""Operations of torch on a number known only at run time, in operators that take it as a tensor.

PyTorch multiplies and adds in one rounding where ``alpha`` is given: the last bit may be another.
"""

import torch
import torch.nn.functional as F


def add(input, other, *, alpha=None):
    """``torch.add``."""
    return input + other if alpha is None else input + other * _factor(input, alpha)


def sub(input, other, *, alpha=None):
    """``torch.sub``."""
    return input - other if alpha is None else input - other * _factor(input, alpha)


def _factor(input, number):
    """Return a number as PyTorch computes with it: it raises where that is beyond the elements."""
    is_half = input.dtype in (torch.float16, torch.bfloat16)
    return torch.full((), number, dtype=torch.float32 if is_half else input.dtype)


def number_over_tensor(number, tensor, /):
    """``number / tensor``: a product in PyTorch, whose last bit is not always the quotient's."""
    return tensor.reciprocal() * number


def power(input, exponent):
    """``input ** exponent``: roots are NaN for minus infinity and -0 for -0 in PyTorch.

    Those of half precision are powers like others.
    """
    number = torch.tensor(exponent, dtype=input.dtype)
    if input.dtype == torch.float16:
        return input**number
    root = torch.sqrt(input)
    root = torch.where(number > 0, root, root.reciprocal())
    return torch.where(number.abs() == 0.5, root, input**number)


def addcmul(input, tensor1, tensor2, *, value=1):
    """``torch.addcmul``."""
    return input + tensor1 * _factor(input, value) * tensor2


def addcdiv(input, tensor1, tensor2, *, value=1):
    """``torch.addcdiv``."""
    return input + tensor1 * _factor(input, value) / tensor2


def clamp(input, min=None, max=None):
    """``torch.clamp``: where the bounds cross, the upper one counts."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if min is not None and max is not None:
        _require_alike(min, max)
    result = input
    if min is not None:
        result = result.maximum(min if isinstance(min, torch.Tensor) else result.new_full((), min))
    if max is not None:
        result = result.minimum(max if isinstance(max, torch.Tensor) else result.new_full((), max))
    return result


def _require_alike(min, max):
    one, other = isinstance(min, torch.Tensor), isinstance(max, torch.Tensor)
    if one != other and (min if one else max).dim() > 0:
        raise TypeError("clamp() received an invalid combination of arguments")


def clamp_min(input, min):
    """``torch.clamp_min``."""
    return input.maximum(input.new_full((), min))


def clamp_max(input, max):
    """``torch.clamp_max``."""
    return input.minimum(input.new_full((), max))


def where(condition, input, other):
    """``torch.where`` between a tensor and a number, or two numbers."""
    if not isinstance(input, torch.Tensor):
        like = other if isinstance(other, torch.Tensor) else torch.zeros(())
        input = like.new_full((), input)
    if not isinstance(other, torch.Tensor):
        other = input.new_full((), other)
    return torch.where(condition, input, other)


def where_method(input, condition, other):
    """``Tensor.where``."""
    return torch.where(condition, input, input.new_full((), other))


def full(size, fill_value, *, dtype=None, **others):
    """``torch.full`` of a float, or of an integer that may not fit."""
    return torch.zeros(size, dtype=dtype, **others).fill_(fill_value)


def full_like(input, fill_value, **others):
    """``torch.full_like``."""
    return torch.zeros_like(input, **others).fill_(fill_value)


def new_full(self, size, fill_value, **others):
    """``Tensor.new_full``."""
    return self.new_zeros(size, **others).fill_(fill_value)


def lerp(input, end, weight):
    """``torch.lerp``."""
    return torch.lerp(input, end, input.new_full((), weight))


def leaky_relu(input, negative_slope=0.01, inplace=False):
    """``F.leaky_relu``."""
    result = torch.where(input > 0, input, input * _factor(input, negative_slope))
    return input.copy_(result) if inplace else result


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """``F.hardtanh``."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    result = torch.clamp(input, min_val, max_val)
    return input.copy_(result) if inplace else result


def threshold(input, threshold, value, inplace=False):
    """``F.threshold``."""
    result = torch.where(input <= _factor(input, threshold), value, input)
    return input.copy_(result) if inplace else result


def elu(input, alpha=1.0, inplace=False):
    """``F.elu``."""
    result = torch.where(input > 0, input, torch.expm1(input) * _factor(input, alpha))
    return input.copy_(result) if inplace else result


def celu(input, alpha=1.0, inplace=False):
    """``F.celu``."""
    factor = _factor(input, alpha)
    result = torch.where(input > 0, input, torch.expm1(input / factor) * factor)
    return input.copy_(result) if inplace else result


def softplus(input, beta=1.0, threshold=20.0):
    """``F.softplus``."""
    slope = _factor(input, beta)
    scaled = input * slope
    far = scaled > _factor(input, threshold)
    return torch.where(far, input, torch.log1p(torch.exp(scaled)) / slope)


def hardshrink(input, lambd=0.5):
    """``F.hardshrink``."""
    bound = _factor(input, lambd)
    is_small = (input >= -bound) & (input <= bound)
    return torch.where(is_small, torch.zeros_like(input), input)


def pad(input, pad, mode="constant", value=None):
    """``F.pad`` with a constant."""
    if mode != "constant" and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode != "constant":
        return F.pad(input, pad, mode)
    is_inside = F.pad(torch.ones_like(input, dtype=torch.bool), pad)
    return torch.where(is_inside, F.pad(input, pad), value)


def scatter(input, dim, index, value):
    """``torch.scatter`` of a number."""
    return input.scatter(dim, index, input.new_full(index.shape, value))


def index_fill(input, dim, index, value):
    """``torch.index_fill``."""
    return input.index_fill(dim, index, input.new_full((), value))


def index_add(input, dim, index, source, *, alpha=1):
    """``torch.index_add``."""
    return input.index_add(dim, index, source * _factor(source, alpha))


def baddbmm(input, batch1, batch2, *, beta=None, alpha=None):
    """``torch.baddbmm``: small products are multiplied by 0, others are left out."""
    weighted = _weighted(input, beta)
    if batch1.shape[1] * batch1.shape[2] * batch2.shape[2] < 400:
        return torch.baddbmm(weighted, _times(batch1, alpha), batch2)
    return torch.baddbmm(weighted, *_factors(batch1, batch2, alpha))


def addmm(input, mat1, mat2, *, beta=None, alpha=None):
    """``torch.addmm``."""
    return torch.addmm(_weighted(input, beta), *_factors(mat1, mat2, alpha))


def _factors(one, other, alpha):
    """Return what to multiply: nothing is left of NaN where the factor is 0, but as halves."""
    if alpha is None or one.dtype == torch.float16:
        return _times(one, alpha), other
    is_out = _factor(one, alpha) == 0
    return _weighted(one, alpha), torch.where(is_out, torch.zeros_like(other), other)


def _times(input, alpha):
    return input if alpha is None else input * _factor(input, alpha)


def _weighted(input, beta):
    """Return a multiple; nothing is left of NaN either where the factor is zero."""
    if beta is None:
        return input
    factor = _factor(input, beta)
    return torch.where(factor == 0, torch.zeros_like(input), input * factor)


def nan_to_num(input, nan=None, posinf=None, neginf=None):
    """``torch.nan_to_num``."""
    limits = torch.finfo(input.dtype)
    most = limits.max if posinf is None else posinf
    least = limits.min if neginf is None else neginf
    unknown, most, least = (
        torch.tensor(number, dtype=input.dtype)  # what is beyond the elements is infinite
        for number in (0.0 if nan is None else nan, most, least)
    )
    result = torch.where(input.isnan(), unknown, input)
    result = torch.where(input == float("inf"), most, result)
    return torch.where(input == -float("inf"), least, result)


def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """``torch.isclose``."""
    if input.dtype != other.dtype:
        raise RuntimeError(f"{input.dtype} did not match {other.dtype}")
    for name, number in (("rtol", rtol), ("atol", atol)):
        if not number >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {number}")
    apart, allowed = (input - other).abs(), (other * rtol).abs() + atol
    close = (input == other) | (apart.isfinite() & (apart <= allowed))
    return close | (input.isnan() & other.isnan()) if equal_nan else close


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """``torch.allclose``."""
    return bool(isclose(input, other, rtol, atol, equal_nan).all())


_NEIGHBOURS = {
    "linear": None, "midpoint": None,
    "lower": torch.floor, "higher": torch.ceil, "nearest": torch.round,
}  # fmt: skip
"""How the place of a quantile is rounded, where it is not between two elements."""


def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    """``torch.quantile`` of floats; NaN where there is one."""
    if not 0 <= q <= 1:
        raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q}")
    if input.dtype not in (torch.float32, torch.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if input.numel() == 0:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if interpolation not in _NEIGHBOURS:
        raise RuntimeError(
            "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, "
            f"but got {interpolation}"
        )
    rows = input.flatten() if dim is None else input
    along = 0 if dim is None else dim
    ordered = rows.sort(dim=along).values
    last = rows.shape[along] - 1
    rank = torch.where(rows.isnan().any(along, True), last, rows.new_full((), q) * last)
    neighbour = _NEIGHBOURS[interpolation]
    below = (rank if neighbour is None else neighbour(rank)).long()
    found = ordered.gather(along, below)
    if neighbour is None:
        upper = ordered.gather(along, rank.ceil().long())
        part = torch.full_like(rank, 0.5) if interpolation == "midpoint" else rank - below
        found = torch.lerp(found, upper, part)
    if dim is None:
        return found.reshape([1] * input.dim() if keepdim else [])
    return found if keepdim else found.squeeze(along)


def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, **others
):
    """``F.scaled_dot_product_attention``."""
    return F.scaled_dot_product_attention(
        query * scale, key, value, attn_mask, dropout_p, is_causal, scale=1.0, **others
    )
