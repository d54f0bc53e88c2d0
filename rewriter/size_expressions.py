"""Sizes as expressions over symbols: comparing sizes, and what a tensor's layout says of them."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

import sympy
import torch
from torch.utils._sympy.functions import Max

from rewriter.size_numbers import Numbers, integer_at

Size: TypeAlias = int | torch.SymInt

MOST_REMEMBERED = 20_000
"""Expressions of which one answer is kept."""


def expression_of(size: Size) -> sympy.Basic:
    """Return a size as an expression; equal expressions are equal sizes."""
    return sympy.Integer(size) if isinstance(size, int) else expanded(size.node.expr)


@lru_cache(maxsize=MOST_REMEMBERED)
def expanded(expression: sympy.Basic) -> sympy.Basic:
    """Return an expression as a sum of products; the same ones are asked for again and again."""
    return sympy.expand(expression)


def key_of(size: Size) -> "int | sympy.Basic":
    """Return a hashable that two sizes share only if they are equal."""
    if isinstance(size, int):
        return size
    expression = expression_of(size)
    return int(expression) if expression.is_number else expression


def keys_of(sizes: Sequence[Size]) -> "tuple[int | sympy.Basic, ...]":
    """Return the keys of several sizes."""
    return tuple(map(key_of, sizes))


def is_fixed(tensor: torch.Tensor) -> bool:
    """Return whether all sizes of a tensor, and its layout, are known numbers."""
    if not tensor._has_symbolic_sizes_strides:
        return True
    parts = (*tensor.shape, *tensor.stride(), tensor.storage_offset())
    return all(isinstance(part, int) for part in parts)


def symbols_of(tensor: torch.Tensor) -> "set[sympy.Symbol]":
    """Return the symbols in the sizes and the layout of a tensor."""
    parts = (*tensor.shape, *tensor.stride(), tensor.storage_offset())
    return {s for part in parts if not isinstance(part, int) for s in part.node.expr.free_symbols}


def is_dense_layout(tensor: torch.Tensor) -> bool:
    """Return whether a tensor's elements lie one after the other, last dimension first.

    Those of a sparse one lie as its class says, always.
    """
    if tensor.layout is not torch.strided:
        return True
    if is_fixed(tensor):
        return tensor.is_contiguous()
    return _is_dense(_parts(tensor.shape), _parts(tensor.stride()))


def _parts(sizes: Sequence[Size]) -> "tuple[int | sympy.Basic, ...]":
    return tuple(size if isinstance(size, int) else size.node.expr for size in sizes)


@lru_cache(maxsize=MOST_REMEMBERED)  # states are compared again and again
def _is_dense(
    shape: "tuple[int | sympy.Basic, ...]", stride: "tuple[int | sympy.Basic, ...]"
) -> bool:
    expected: sympy.Basic = sympy.Integer(1)
    for size, step in reversed(list(zip(shape, stride, strict=True))):
        size = expanded(sympy.sympify(size))
        if size != 1 and _plain_step(sympy.sympify(step)) != sympy.expand(expected):
            return False
        expected = expected * size
    return True


def _plain_step(step: sympy.Basic) -> sympy.Basic:
    """Return a stride without ``Max(1, size)``: where a size is zero strides mean nothing."""
    plain = expanded(step).replace(
        lambda part: isinstance(part, Max) and len(part.args) == 2 and 1 in part.args,
        lambda part: next(iter(a for a in part.args if a != 1), sympy.Integer(1)),
    )
    return sympy.expand(plain)


def value_at(size: Size, values: Numbers) -> int:
    """Return a size where the symbols have values."""
    if isinstance(size, int):
        return size
    found = integer_at(size.node.expr, values)
    assert found is not None
    return found
