"""Numbers known only at run time where an operation of torch takes a number, not a tensor.

``x.clamp(max=v)``, ``torch.add(x, y, alpha=v)``, ``F.leaky_relu(x, v)``: the functions below say
in operators, which take such a number as a tensor of one element, what these compute. They are
evaluated like a user's. PyTorch multiplies and adds in one rounding where ``alpha`` is given, so
the last bit may be another.
"""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import torch
import torch.nn.functional as F

from rewriter.evaluation.rendering import tensor_of
from rewriter.values import Known, MethodValue, ScalarValue, Value


def shown_function(
    function: object, positional: Sequence[Value], keywords: Mapping[str, Value]
) -> Known | None:
    """Return what computes a function of torch, or a method given by name, with such a number.

    None where no such number is given, or nothing below says what the function computes.
    """
    numbers = [v for v in (*positional, *keywords.values()) if isinstance(v, ScalarValue)]
    found = _METHODS.get(function) if isinstance(function, str) else _FUNCTIONS.get(id(function))
    fractional = any(number.type not in (int, bool) for number in numbers)
    if found is None or not (fractional or (numbers and found in _EVEN_OF_INTEGERS)):
        return None
    try:
        given = inspect.signature(found).bind(*positional, **keywords).arguments
    except TypeError:
        return None
    tensors = [tensor_of(value) for name, value in given.items() if name not in _PLACES]
    computed = [tensor for tensor in tensors if tensor is not None]
    sure = bool(computed) or all(number.type is float for number in numbers)
    fits = not fractional or all(each.is_floating_point() for each in computed)
    return Known(found) if sure and fits else None


def with_number(
    function: object, positional: list[Value], keywords: dict[str, Value]
) -> tuple[Value, list[Value]] | None:
    """Return what to call, with which arguments, in place of a function of torch, if anything."""
    shown = shown_function(function, positional, keywords)
    if shown is not None:
        return shown, positional
    name = getattr(function, "__name__", "")
    has_method = name in OPERATORS and function is getattr(torch, name, None) and not keywords
    numbers = [v for v in positional[1:] if isinstance(v, ScalarValue) and v.size is None]
    if has_method and numbers and tensor_of(positional[0]) is not None:
        return MethodValue(positional[0], name), positional[1:]
    return None


OPERATORS = frozenset(
    {"add", "sub", "mul", "div", "true_divide", "multiply", "divide", "subtract", "eq", "ne", "lt",
     "le", "gt", "ge", "maximum", "minimum", "fmod", "remainder", "floor_divide", "clamp", "clip",
     "pow", "masked_fill", "fill", "copysign", "xlogy"}
)  # fmt: skip
"""Methods for which a number and a 0-d tensor of the right dtype are the same argument."""


_PLACES = ("condition", "index")
"""Arguments that say where, not what."""

# --- what it computes: evaluated as a user's functions ----------------------------------------


def add(input, other, *, alpha=None):  # type: ignore[no-untyped-def]
    """``torch.add``."""
    return input + other if alpha is None else input + other * alpha


def sub(input, other, *, alpha=None):  # type: ignore[no-untyped-def]
    """``torch.sub``."""
    return input - other if alpha is None else input - other * alpha


def addcmul(input, tensor1, tensor2, *, value=1):  # type: ignore[no-untyped-def]
    """``torch.addcmul``."""
    return input + tensor1 * value * tensor2


def addcdiv(input, tensor1, tensor2, *, value=1):  # type: ignore[no-untyped-def]
    """``torch.addcdiv``."""
    return input + tensor1 * value / tensor2


def clamp(input, min=None, max=None):  # type: ignore[no-untyped-def]
    """``torch.clamp``: where the bounds cross, the upper one counts."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    result = input
    if min is not None:
        result = result.maximum(min if isinstance(min, torch.Tensor) else result.new_full((), min))
    if max is not None:
        result = result.minimum(max if isinstance(max, torch.Tensor) else result.new_full((), max))
    return result


def clamp_min(input, min):  # type: ignore[no-untyped-def]
    """``torch.clamp_min``."""
    return input.maximum(input.new_full((), min))


def clamp_max(input, max):  # type: ignore[no-untyped-def]
    """``torch.clamp_max``."""
    return input.minimum(input.new_full((), max))


def where(condition, input, other):  # type: ignore[no-untyped-def]
    """``torch.where`` between a tensor and a number, or two numbers."""
    if not isinstance(input, torch.Tensor):
        like = other if isinstance(other, torch.Tensor) else torch.zeros(())
        input = like.new_full((), input)
    if not isinstance(other, torch.Tensor):
        other = input.new_full((), other)
    return torch.where(condition, input, other)


def where_method(input, condition, other):  # type: ignore[no-untyped-def]
    """``Tensor.where``."""
    return torch.where(condition, input, input.new_full((), other))


def full(size, fill_value, *, dtype=None, **others):  # type: ignore[no-untyped-def]
    """``torch.full`` of a float."""
    return torch.zeros(size, dtype=dtype, **others).fill_(fill_value)


def full_like(input, fill_value, **others):  # type: ignore[no-untyped-def]
    """``torch.full_like``."""
    return torch.zeros_like(input, **others).fill_(fill_value)


def new_full(self, size, fill_value, **others):  # type: ignore[no-untyped-def]
    """``Tensor.new_full``."""
    return self.new_zeros(size, **others).fill_(fill_value)


def lerp(input, end, weight):  # type: ignore[no-untyped-def]
    """``torch.lerp``."""
    return torch.lerp(input, end, input.new_full((), weight))


def leaky_relu(input, negative_slope=0.01, inplace=False):  # type: ignore[no-untyped-def]
    """``F.leaky_relu``."""
    result = torch.where(input > 0, input, input * negative_slope)
    return input.copy_(result) if inplace else result


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):  # type: ignore[no-untyped-def]
    """``F.hardtanh``."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    result = torch.clamp(input, min_val, max_val)
    return input.copy_(result) if inplace else result


def threshold(input, threshold, value, inplace=False):  # type: ignore[no-untyped-def]
    """``F.threshold``."""
    result = torch.where(input <= threshold, value, input)
    return input.copy_(result) if inplace else result


def elu(input, alpha=1.0, inplace=False):  # type: ignore[no-untyped-def]
    """``F.elu``."""
    result = torch.where(input > 0, input, torch.expm1(input) * alpha)
    return input.copy_(result) if inplace else result


def celu(input, alpha=1.0, inplace=False):  # type: ignore[no-untyped-def]
    """``F.celu``."""
    result = torch.where(input > 0, input, torch.expm1(input / alpha) * alpha)
    return input.copy_(result) if inplace else result


def softplus(input, beta=1.0, threshold=20.0):  # type: ignore[no-untyped-def]
    """``F.softplus``."""
    scaled = input * beta
    return torch.where(scaled > threshold, input, torch.log1p(torch.exp(scaled)) / beta)


def hardshrink(input, lambd=0.5):  # type: ignore[no-untyped-def]
    """``F.hardshrink``."""
    is_small = (input >= -lambd) & (input <= lambd)
    return torch.where(is_small, torch.zeros_like(input), input)


def pad(input, pad, mode="constant", value=None):  # type: ignore[no-untyped-def]
    """``F.pad`` with a constant."""
    is_inside = F.pad(torch.ones_like(input, dtype=torch.bool), pad, mode)
    return torch.where(is_inside, F.pad(input, pad, mode), value)


def scatter(input, dim, index, value):  # type: ignore[no-untyped-def]
    """``torch.scatter`` of a number."""
    return input.scatter(dim, index, input.new_full(index.shape, value))


def index_fill(input, dim, index, value):  # type: ignore[no-untyped-def]
    """``torch.index_fill``."""
    return input.index_fill(dim, index, input.new_full((), value))


def index_add(input, dim, index, source, *, alpha=1):  # type: ignore[no-untyped-def]
    """``torch.index_add``."""
    return input.index_add(dim, index, source * alpha)


def baddbmm(input, batch1, batch2, *, alpha=1):  # type: ignore[no-untyped-def]
    """``torch.baddbmm`` without ``beta``."""
    return torch.baddbmm(input, batch1 * alpha, batch2)


def addmm(input, mat1, mat2, *, alpha=1):  # type: ignore[no-untyped-def]
    """``torch.addmm`` without ``beta``."""
    return torch.addmm(input, mat1 * alpha, mat2)


def scaled_dot_product_attention(  # type: ignore[no-untyped-def]
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, **others
):
    """``F.scaled_dot_product_attention``."""
    return F.scaled_dot_product_attention(
        query * scale, key, value, attn_mask, dropout_p, is_causal, scale=1.0, **others
    )


_SHOWN: tuple[Any, ...] = (
    *(add, sub, addcmul, addcdiv, clamp, clamp_min, clamp_max, where, new_full, lerp, hardshrink),
    *(scatter, index_fill, index_add, baddbmm, addmm),
)
_EVEN_OF_INTEGERS: tuple[Any, ...] = (clamp, new_full)
_NAMED: dict[str, Any] = {
    **{shown.__name__: shown for shown in _SHOWN},
    "clip": clamp,
    "subtract": sub,
}
_METHODS = _NAMED | {"where": where_method}
_FUNCTIONS: dict[int, Any] = {
    **{id(getattr(torch, name)): shown for name, shown in _NAMED.items() if name != "new_full"},
    id(torch.full): full,
    id(torch.full_like): full_like,
    id(F.leaky_relu): leaky_relu,
    id(F.hardtanh): hardtanh,
    id(F.threshold): threshold,
    id(F.elu): elu,
    id(F.celu): celu,
    id(F.softplus): softplus,
    id(F.pad): pad,
    id(F.scaled_dot_product_attention): scaled_dot_product_attention,
}
