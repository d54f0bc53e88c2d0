"""When two operations on sizes known only at run time are judged alike.

A loop's body is evaluated several times, and unrolled code calls the same layers again: the
symbols differ, their relations do not. The key of an operation says all that its verdict depends
on, with symbols numbered in the order in which they were made: the function, the operands' types,
layouts and memory, and what the path knows of the symbols, directly or through others. Layers of
torch's own and weights are described as in ``rewriter.alike``: deep networks have many alike.
"""

import types
from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeAlias

import sympy
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_flatten

from rewriter.alike import Describing, Unlike
from rewriter.evaluation.size_trials.calls import SizedCall
from rewriter.storages import storage_key

Numbers: TypeAlias = dict[sympy.Symbol, int]

_VALUES = (int, float, complex, str, bool, type(None), type(...), torch.dtype, torch.device)
_LAYOUTS = (torch.layout, torch.memory_format)
_OBJECTS = (types.BuiltinFunctionType, types.MethodDescriptorType, type)
_UNORDERED = (sympy.Add, sympy.Mul, sympy.And, sympy.Or)


class _Unlike(Exception):
    """Something that has no key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """The key of an operation, and the symbols that the numbers in it stand for."""

    key: Hashable
    symbols: tuple[sympy.Symbol, ...]
    weights: tuple[torch.Tensor, ...] = ()
    """Those of the layers and operands that are described: operations alike have others."""


@dataclass(slots=True)
class _Operands:
    """What was met so far among the operands and in the function."""

    numbers: Numbers
    describing: Describing
    seen: dict[tuple[str, int], int] = field(default_factory=dict)
    """Tensors and storages among the operands, numbered as they come."""


def likeness(call: SizedCall, symbols: Sequence[sympy.Symbol]) -> Likeness | None:
    """Return the key of an operation; None where it is like no other.

    ``symbols`` are those that the key is to tell of, in a certain order: ``connected`` ones.
    """
    numbers = {symbol: number for number, symbol in enumerate(symbols)}
    sizes = call.run.sizes
    leaves, tree = tree_flatten((call.arguments, call.keywords))
    operands = _Operands(numbers, Describing(call.run.described_modules))
    try:
        key = (
            _captured(call.compute, operands),
            tree,
            tuple(_leaf(leaf, operands) for leaf in leaves),
            frozenset(_form(f, numbers) for f in call.facts if f.free_symbols & numbers.keys()),
            tuple((sizes.var_to_range[s], s in sizes.size_like) for s in symbols),
            tuple(
                (numbers[symbol], *(_form(part, numbers) for part in parts))
                for symbol, parts in sizes.bounds.items()
                if symbol in numbers
            ),
            torch.get_default_dtype(),
            _shared(call, operands),
        )
        hash(key)
    except (_Unlike, TypeError):
        return None
    return Likeness(key=key, symbols=tuple(symbols), weights=tuple(operands.describing.tensors))


def _shared(call: SizedCall, operands: _Operands) -> Hashable:
    """Return which operands are views of which weights."""
    convert, mode = call.run.mode.fake_tensor_converter.from_real_tensor, call.run.mode
    keys = [storage_key(convert(mode, tensor)) for tensor in operands.describing.tensors]
    return tuple(operands.seen.get(("storage", key)) for key in keys)


def connected(call: SizedCall) -> list[sympy.Symbol]:
    """Return the operands' symbols, and those that something known relates to them."""
    groups = [fact.free_symbols for fact in call.facts]
    groups += [
        {symbol, *bound.free_symbols, *size.free_symbols}
        for symbol, (bound, size) in call.run.sizes.bounds.items()
    ]
    found, grown = set(call.symbols), True
    while grown:
        near = [group for group in groups if group & found and not group <= found]
        grown = bool(near)
        found.update(*near)
    return _as_made(found)


def own(call: SizedCall) -> list[sympy.Symbol]:
    """Return the operands' symbols, and those that they are computed from: ends of slices."""
    bounds = call.run.sizes.bounds
    found, pending = set[sympy.Symbol](), list(call.symbols)
    while pending:
        symbol = pending.pop()
        if symbol not in found:
            found.add(symbol)
            pending += [s for part in bounds.get(symbol, ()) for s in part.free_symbols]
    return _as_made(found)


def _as_made(symbols: Iterable[sympy.Symbol]) -> list[sympy.Symbol]:
    return sorted(symbols, key=lambda symbol: int(str(symbol)[1:]))


def _function(
    function: types.FunctionType, operands: _Operands, around: tuple[object, ...]
) -> Hashable:
    """Return what identifies a function: its code and what it was made with, or it itself.

    ``around`` are functions that were made with it; it may be one of them.
    """
    if any(function is each for each in around):
        return ("object", id(function))
    around = (*around, function)
    if not function.__defaults__ and not function.__kwdefaults__:
        with suppress(_Unlike, ValueError):  # ValueError: a variable that has no value
            captured = [
                _captured(cell.cell_contents, operands, around)
                for cell in function.__closure__ or ()
            ]
            return ("made by", function.__code__, id(function.__globals__), *captured)
    return ("object", id(function))


def _captured(value: object, operands: _Operands, around: tuple[object, ...] = ()) -> Hashable:
    match value:
        case types.FunctionType():
            return _function(value, operands, around)
        case types.MethodType():
            parts = (value.__func__, value.__self__)
            return tuple(_captured(part, operands, around) for part in parts)
        case nn.Module():
            return _described(value, operands)
        case _ if isinstance(value, _OBJECTS):
            return ("object", id(value))
        case _:
            return _plain(value)


def _described(value: nn.Module | torch.Tensor, operands: _Operands) -> Hashable:
    """Return the description of a layer or a weight; for what has none, it itself."""
    try:
        return ("described", operands.describing.described(value))
    except Unlike:
        return ("object", id(value))


def _plain(value: object) -> Hashable:
    if isinstance(value, (*_VALUES, *_LAYOUTS)):
        return (type(value), repr(value))  # -0.0 and 0.0 are equal, and not the same
    raise _Unlike


def _leaf(leaf: object, operands: _Operands) -> Hashable:
    match leaf:
        case FakeTensor():
            return _tensor(leaf, operands)
        case torch.Tensor():
            return _described(leaf, operands)
        case torch.SymInt():
            return _form(leaf.node.expr, operands.numbers)
        case slice():
            return (slice, *(_leaf(part, operands) for part in (leaf.start, leaf.stop, leaf.step)))
        case _:
            return _captured(leaf, operands)


def _tensor(tensor: FakeTensor, operands: _Operands) -> Hashable:
    if tensor.constant is not None:
        raise _Unlike
    storage = tensor.untyped_storage()
    parts = (*tensor.shape, *tensor.stride(), tensor.storage_offset(), storage.nbytes())
    seen, numbers = operands.seen, operands.numbers
    return (
        type(tensor),
        tensor.dtype,
        tensor.device,
        tensor.requires_grad,
        tensor.is_conj(),
        tensor.is_neg(),
        tensor.dim(),
        seen.setdefault(("object", id(tensor)), len(seen)),
        seen.setdefault(("storage", storage_key(tensor)), len(seen)),
        tuple(p if isinstance(p, int) else _form(p.node.expr, numbers) for p in parts),
    )


def _form(expression: sympy.Basic, numbers: Numbers) -> Hashable:
    """Return an expression with numbers for symbols; equal forms are equal up to their names."""
    if expression.is_Symbol:
        if expression not in numbers:
            raise _Unlike
        return f"u{numbers[expression]}"
    if not expression.args:
        return (expression,)
    parts = [_form(part, numbers) for part in expression.args]
    return (type(expression), frozenset(parts) if type(expression) in _UNORDERED else tuple(parts))
