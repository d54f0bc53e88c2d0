"""Numbers known only at run time where an operation of torch takes a number, not a tensor.

``x.clamp(max=v)``, ``torch.add(x, y, alpha=v)``, ``F.leaky_relu(x, v)``: the functions of the
prelude say in operators, which take such a number as a tensor of one element, what these compute.
"""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import libcst as cst
import torch
import torch.nn.functional as F

from rewriter.evaluation.host.numpy_numbers import plain_number
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame
from rewriter.prelude import numbers as computing
from rewriter.state import State
from rewriter.values import Known, MethodValue, ScalarValue, Value


def plain_operands(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: object,
    positional: list[Value],
    keywords: dict[str, Value],
) -> tuple[list[Value], dict[str, Value]]:
    """Return the operands of a function of torch, or a method given by name, that takes numbers.

    PyTorch takes numpy's integers and floats there as it takes Python's.
    """
    if isinstance(function, str):
        takes = function in _METHODS or function in OPERATORS
    else:
        named = getattr(function, "__name__", "")
        operates = named in OPERATORS and function is getattr(torch, named, None)
        takes = operates or id(function) in _FUNCTIONS
    if not takes:
        return positional, keywords
    plain = [plain_number(frame, node, state, value) for value in positional]
    return plain, {name: plain_number(frame, node, state, v) for name, v in keywords.items()}


def shown_function(
    function: object, positional: Sequence[Value], keywords: Mapping[str, Value]
) -> Known | None:
    """Return what computes a function of torch, or a method given by name, with such a number.

    None where no such number is given, or nothing below says what the function computes.
    """
    numbers = [v for v in (*positional, *keywords.values()) if isinstance(v, ScalarValue)]
    found = _METHODS.get(function) if isinstance(function, str) else _FUNCTIONS.get(id(function))
    fractional = any(number.type in (float, None) for number in numbers)
    if any(number.type not in (float, int, bool, None) for number in numbers):
        return None  # a complex number, or one of numpy's
    if found is None or not (
        fractional or (numbers and _is_even_of_integers(found, positional, keywords))
    ):
        return None
    try:
        given = inspect.signature(found).bind(*positional, **keywords).arguments
    except TypeError:
        return None
    found_tensors = ((name, tensor_of(value)) for name, value in given.items())
    tensors = {name: each for name, each in found_tensors if each is not None}
    if not tensors and found is not computing.full:
        return None  # of numbers alone PyTorch makes a tensor, or raises
    computed = [tensor for name, tensor in tensors.items() if name not in _PLACES]
    sure = bool(computed) or found is computing.full or all(n.type is float for n in numbers)
    fits = not fractional or all(each.is_floating_point() for each in computed)
    return Known(found) if sure and fits else None


def _is_even_of_integers(
    found: object, positional: Sequence[Value], keywords: Mapping[str, Value]
) -> bool:
    """Return whether what computes a function is needed for integers, which may not fit."""
    if found in _EVEN_OF_INTEGERS:
        return True
    tensors = map(tensor_of, (*positional, *keywords.values()))
    kinds = {tensor.dtype for tensor in tensors if tensor is not None}
    kind = keywords.get("dtype")
    if isinstance(kind, Known) and kind.value is not None:
        kinds = {kind.value}
    return found in _PUTTING and not kinds.isdisjoint(_SMALL)


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


_PLACES = ("condition", "index", "attn_mask")
"""Arguments that say where, not what."""

_EVEN_OF_INTEGERS: tuple[Any, ...] = (computing.clamp, computing.new_full)
_PUTTING: tuple[Any, ...] = (
    computing.full, computing.full_like, computing.where, computing.where_method,
)  # fmt: skip
_SMALL = (torch.uint8, torch.int8, torch.int16, torch.int32)
_OF_TORCH: dict[str, Any] = {
    **{
        name: getattr(computing, name)
        for name in ("add", "sub", "addcmul", "addcdiv", "addmm", "baddbmm", "clamp", "clamp_min",
                     "clamp_max", "where", "lerp", "hardshrink", "scatter", "index_fill",
                     "index_add", "nan_to_num", "isclose", "allclose", "quantile")
    },
    "clip": computing.clamp,
    "pow": computing.power,
    "subtract": computing.sub,
}  # fmt: skip
_METHODS = _OF_TORCH | {"where": computing.where_method, "new_full": computing.new_full}
_FUNCTIONS: dict[int, Any] = {
    **{id(getattr(torch, name)): shown for name, shown in _OF_TORCH.items()},
    **{id(getattr(torch, name)): getattr(computing, name) for name in ("full", "full_like")},
    **{
        id(getattr(F, name)): getattr(computing, name)
        for name in ("leaky_relu", "hardtanh", "threshold", "elu", "celu", "softplus", "pad",
                     "scaled_dot_product_attention")
    },
}  # fmt: skip
