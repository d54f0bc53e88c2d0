"""What PyTorch raises where an operation is given arguments of kinds that it does not take.

Its functions written in C look at the kinds of all arguments before anything else. They are called
with stand-ins: tensors of zeros, which have the ranks and element types of those given, and their
sizes as long as these make few elements.
"""

import types
from collections.abc import Mapping
from typing import Any

import torch

from rewriter.evaluation.calls.library import LibraryKind, library_kind
from rewriter.evaluation.calls.samples_of_kinds import PLAIN, are_alike, errors_of_kinds, is_small
from rewriter.evaluation.run import Run
from rewriter.state import State
from rewriter.values import (
    HostValue,
    Known,
    ListCell,
    Reference,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
)

_MOST_ELEMENTS = 1_000_000
_OF_TORCH = (torch.dtype, torch.device, torch.layout, torch.memory_format)
_OF_TYPES = ("scalar type", "BoolTensor")
_OUT_OF_RANGE = "Dimension out of range"


def misfit_of_operation(
    run: Run,
    state: State,
    called: object,
    positional: list[Value],
    keywords: Mapping[str, Value],
) -> Exception | None:
    """Return what an operation in C, or a method of tensors, raises for such arguments.

    Asked where a ``try`` of the program may tell errors apart, and where a number of run time is
    given, which the evaluator may take for the tensor that is wanted.
    """
    values = [*positional, *keywords.values()]
    if not run.protecting and not any(isinstance(value, ScalarValue) for value in values):
        return None
    in_c = isinstance(called, types.BuiltinFunctionType | types.MethodDescriptorType)
    if not in_c and getattr(called, "__module__", None) != torch.nn.functional.__name__:
        return None
    if library_kind(called) is not LibraryKind.TORCH:
        return None
    return misfit_of_tensors(state, called, positional, keywords)


def misfit_of_tensors(
    state: State, called: Any, positional: list[Value], keywords: Mapping[str, Value]
) -> Exception | None:
    """Return the same of a function of tensors, whoever asks."""
    values = [*positional, *keywords.values()]
    if not any(map(_is_tensor, values)) and not _is_operation(called):
        return None  # it may be a setting of PyTorch's
    if _elements(state, values) is None:
        return None
    with torch.random.fork_rng(devices=[]):
        errors = errors_of_kinds(state, called, positional, keywords)
    of_sizes = [error for error in errors if isinstance(error, RuntimeError)]
    if of_sizes and not all(map(_has_its_sizes, values)):
        return None  # sizes that do not fit may come first
    kept = are_alike(errors) and all(map(_is_of_kinds, errors))
    return errors[0] if errors and kept else None


def _has_its_sizes(value: Value) -> bool:
    tensor = value.fake if isinstance(value, TensorValue) else getattr(value, "value", None)
    return is_small(tensor) if isinstance(tensor, torch.Tensor) else True


def _is_operation(called: object) -> bool:
    """Return whether this is one of the operations of ATen, which belong to no module."""
    return isinstance(called, types.BuiltinFunctionType) and called.__self__ is None


def _is_of_kinds(error: Exception) -> bool:
    """Return whether an error does not depend on what tensors hold, nor on how large they are."""
    if isinstance(error, TypeError | NotImplementedError):
        return True
    if isinstance(error, IndexError):
        return str(error).startswith(_OUT_OF_RANGE)
    return isinstance(error, RuntimeError) and any(part in str(error) for part in _OF_TYPES)


def _is_tensor(value: Value) -> bool:
    return isinstance(value, TensorValue) or (
        isinstance(value, Known) and isinstance(value.value, torch.Tensor)
    )


def _elements(state: State, values: list[Value]) -> int | None:
    """Return a bound of what numbers make together; None where kinds are not certain, or large."""
    found = 1
    for value in values:
        parts = _parts(state, value)
        if parts is None:
            return None
        for part in parts:
            found *= max(1, abs(part)) if isinstance(part, int) else 1
    return found if found <= _MOST_ELEMENTS else None


def _parts(state: State, value: Value) -> list[object] | None:
    """Return the known plain objects in an argument; None where there are others."""
    cell = state.heap.get(value.identity) if isinstance(value, Reference) else None
    match value:
        case Known(value=content) if type(content) in (*PLAIN, *_OF_TORCH) or _is_tensor(value):
            return [content]
        case Known(value=list() | tuple() as content) if all(type(i) in PLAIN for i in content):
            return [*content]
        case ScalarValue() | TensorValue():
            return []
        case HostValue(sample=str()):
            return []
        case TupleValue(items=items):
            return _parts_of(state, items)
        case _ if isinstance(cell, ListCell):
            return _parts_of(state, cell.items)
        case _:
            return None


def _parts_of(state: State, items: tuple[Value, ...]) -> list[object] | None:
    found: list[object] = []
    for item in items:
        parts = _parts(state, item)
        if parts is None:
            return None
        found += parts
    return found
