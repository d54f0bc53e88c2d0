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


def offset_of(size: Dimension) -> tuple[str, int] | None:
    """Return ``("u0", 1)`` for ``u0 + 1``; None for a size that is no symbol plus a number."""
    match parsed_size(size) if isinstance(size, str) else None:
        case ast.Expression(body=ast.Name(id=name)):
            return name, 0
        case ast.Expression(
            body=ast.BinOp(
                left=ast.Name(id=name), op=ast.Add(), right=ast.Constant(value=int() as number)
            )
        ):
            return name, number
        case ast.Expression(
            body=ast.BinOp(
                left=ast.Name(id=name), op=ast.Sub(), right=ast.Constant(value=int() as number)
            )
        ):
            return name, -number
        case _:  # any other expression, or none
            return None


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
