"""When two operations on sizes known only at run time are judged alike.

A loop's body is evaluated several times, and unrolled code calls the same layers again: the
symbols differ, their relations do not. The key of an operation says all that its verdict depends
on, with symbols numbered in the order in which they were made: the function, the operands' types,
layouts and memory, and what the path knows of the symbols, directly or through others.
"""

import types
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

import sympy
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_flatten

from rewriter.evaluation.size_trials.calls import SizedCall
from rewriter.storages import storage_key

Numbers: TypeAlias = dict[sympy.Symbol, int]
Seen: TypeAlias = dict[tuple[str, int], int]
"""Tensors and storages among the operands, numbered as they come."""

_VALUES = (int, float, complex, str, bool, type(None), type(...), torch.dtype, torch.device)
_LAYOUTS = (torch.layout, torch.memory_format)
_OBJECTS = (types.BuiltinFunctionType, types.MethodDescriptorType, type, nn.Module)
_UNORDERED = (sympy.Add, sympy.Mul, sympy.And, sympy.Or)


class _Unlike(Exception):
    """Something that has no key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """The key of an operation, and the symbols that the numbers in it stand for."""

    key: Hashable
    symbols: tuple[sympy.Symbol, ...]


def likeness(call: SizedCall) -> Likeness | None:
    """Return the key of an operation; None where it is like no other."""
    symbols = _connected(call)
    numbers = {symbol: number for number, symbol in enumerate(symbols)}
    sizes = call.run.sizes
    leaves, tree = tree_flatten((call.arguments, call.keywords))
    seen: Seen = {}
    try:
        key = (
            _captured(call.compute),
            tree,
            tuple(_leaf(leaf, numbers, seen) for leaf in leaves),
            frozenset(_form(f, numbers) for f in call.facts if f.free_symbols & numbers.keys()),
            tuple((sizes.var_to_range[s], s in sizes.size_like) for s in symbols),
            tuple(
                (numbers[symbol], *(_form(part, numbers) for part in parts))
                for symbol, parts in sizes.bounds.items()
                if symbol in numbers
            ),
            torch.get_default_dtype(),
        )
        hash(key)
    except (_Unlike, TypeError):
        return None
    return Likeness(key=key, symbols=tuple(symbols))


def _connected(call: SizedCall) -> list[sympy.Symbol]:
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
    return sorted(found, key=lambda symbol: int(str(symbol)[1:]))


def _function(function: types.FunctionType, around: tuple[object, ...]) -> Hashable:
    """Return what identifies a function: its code and what it was made with, or it itself.

    ``around`` are functions that were made with it; it may be one of them.
    """
    if any(function is each for each in around):
        return ("object", id(function))
    around = (*around, function)
    if not function.__defaults__ and not function.__kwdefaults__:
        with suppress(_Unlike, ValueError):  # ValueError: a variable that has no value
            captured = [
                _captured(cell.cell_contents, around) for cell in function.__closure__ or ()
            ]
            return ("made by", function.__code__, id(function.__globals__), *captured)
    return ("object", id(function))


def _captured(value: object, around: tuple[object, ...] = ()) -> Hashable:
    match value:
        case types.FunctionType():
            return _function(value, around)
        case types.MethodType():
            return (_captured(value.__func__, around), _captured(value.__self__, around))
        case _ if isinstance(value, _OBJECTS):
            return ("object", id(value))
        case _:
            return _plain(value)


def _plain(value: object) -> Hashable:
    if isinstance(value, (*_VALUES, *_LAYOUTS)):
        return (type(value), repr(value))  # -0.0 and 0.0 are equal, and not the same
    raise _Unlike


def _leaf(leaf: object, numbers: Numbers, seen: Seen) -> Hashable:
    match leaf:
        case FakeTensor():
            return _tensor(leaf, numbers, seen)
        case torch.Tensor():
            return ("tensor", id(leaf))
        case torch.SymInt():
            return _form(leaf.node.expr, numbers)
        case slice():
            return (slice, *(_leaf(p, numbers, seen) for p in (leaf.start, leaf.stop, leaf.step)))
        case _:
            return _captured(leaf)


def _tensor(tensor: FakeTensor, numbers: Numbers, seen: Seen) -> Hashable:
    if tensor.constant is not None:
        raise _Unlike
    storage = tensor.untyped_storage()
    parts = (*tensor.shape, *tensor.stride(), tensor.storage_offset(), storage.nbytes())
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
