"""Sizes as the program writes them (``seq``, ``u0 + 1``): their symbols and their values."""

import ast
from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeGuard

import sympy
from torch.utils._sympy.functions import FloorDiv, Max, Min, Mod

from rewriter.program import Dimension, ScalarSpec, SymbolRange, TensorSpec, VariableSpec
from rewriter.size_texts import parsed_size, symbols_in, value_of

_SYMPY_FUNCTIONS: dict[str, Any] = {"Min": Min, "Max": Max, "Mod": Mod, "FloorDiv": FloorDiv}


def with_values(size: Dimension, values: Mapping[str, int]) -> Dimension:
    """Return a size where some of its symbols have values: a number, or a canonical text."""
    if isinstance(size, int):
        return size
    names = symbols_in(size)
    if not any(name in values for name in names):
        return size
    if all(name in values for name in names):
        return int(value_of(size, values))
    symbols = {name: sympy.Symbol(name, integer=True) for name in names}
    known = {symbol: values[name] for name, symbol in symbols.items() if name in values}
    expression = eval(size, {"__builtins__": {}}, {**_SYMPY_FUNCTIONS, **symbols})
    return str(sympy.expand(expression.subs(known)))


def is_made_of(size: Dimension | None, symbols: Collection[str]) -> TypeGuard[Dimension]:
    """Return whether there is a size, and all symbols in it are known."""
    return size is not None and all(name in symbols for name in symbols_in(size))


def line_of(size: Dimension) -> tuple[str, int, int] | None:
    """Return ``("u0", 8, 1)`` for ``8*u0 + 1``; None for a size that is no such multiple."""
    tree = parsed_size(size) if isinstance(size, str) else None
    found = None if tree is None else _line(tree.body)
    names = symbols_in(size)
    return (names[0], *found) if found is not None and found[0] > 0 and len(names) == 1 else None


def _line(node: ast.expr) -> tuple[int, int] | None:
    """Return the factor and the offset of arithmetic with one symbol."""
    match node:
        case ast.Name():
            return 1, 0
        case ast.Constant(value=int() as number):
            return 0, number
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as op, right=right):
            one, other = _line(left), _line(right)
            return None if one is None or other is None else _joined(one, op, other)
        case _:  # a function, or a power
            return None


def _joined(
    one: tuple[int, int], op: ast.Add | ast.Sub | ast.Mult, other: tuple[int, int]
) -> tuple[int, int] | None:
    match op:
        case ast.Add():
            return one[0] + other[0], one[1] + other[1]
        case ast.Sub():
            return one[0] - other[0], one[1] - other[1]
        case ast.Mult():
            if one[0] and other[0]:
                return None
            return one[0] * other[1] + one[1] * other[0], one[1] * other[1]


def is_symbolic(spec: VariableSpec) -> bool:
    """Return whether a variable is a tensor of which some size is known only at run time."""
    return isinstance(spec, TensorSpec) and any(isinstance(size, str) for size in spec.shape)


def is_integer(spec: VariableSpec) -> bool:
    """Return whether a variable is a Python int of the host."""
    return isinstance(spec, ScalarSpec) and spec.type is int


def symbols_of(specs: Iterable[VariableSpec]) -> tuple[str, ...]:
    """Return the symbols of tensors' sizes, in order, without repeats."""
    sizes = (size for spec in specs if isinstance(spec, TensorSpec) for size in spec.shape)
    return tuple(dict.fromkeys(symbol for size in sizes for symbol in symbols_in(size)))


def range_of(symbol: str, ranges: Mapping[str, SymbolRange]) -> SymbolRange:
    """Return which sizes a symbol may stand for."""
    return ranges.get(symbol, SymbolRange())
