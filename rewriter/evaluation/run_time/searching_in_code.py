"""Searching for objects of users' classes, whose ``__eq__`` the host does not have."""

from collections import deque

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.rendering import known_object, tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.host_type_properties import is_host_instance
from rewriter.host_type_relations import decided
from rewriter.host_types import HostType, NumberType, OptionalType, TensorType
from rewriter.prelude import searching
from rewriter.size_expressions import is_fixed
from rewriter.state import State
from rewriter.values import Known, ObjectCell, Reference, RunTimeCell, ScalarValue, Value

_NO_LIMIT = Known(2**62)
_IN_CODE = {"index": searching.find, "count": searching.count, "remove": searching.remove}


def is_own_object(state: State, value: Value) -> bool:
    """Return whether a value is an object of a user's class made in the call."""
    cell = state.heap.get(value.identity) if isinstance(value, Reference) else None
    return isinstance(cell, ObjectCell) or (
        isinstance(cell, RunTimeCell) and is_host_instance(cell.type)
    )


def are_own_objects(element: HostType) -> bool:
    """Return whether a container of the host holds such objects, or None in their place."""
    found = decided(element)
    return is_host_instance(found.item if isinstance(found, OptionalType) else element)


def is_asked_in_code(state: State, element: HostType, wanted: Value) -> bool:
    """Return whether Python's code, not the host's, compares elements with what is wanted."""
    if are_own_objects(element) or is_own_object(state, wanted):
        return True
    found = decided(element)
    one = found.like if isinstance(found, TensorType) and not found.any_size else None
    other = tensor_of(wanted)
    numbers = isinstance(found, NumberType) or _holds_one(one)
    also = _is_number(wanted) or _holds_one(other)
    return numbers and also and (one is not None or other is not None)


def _holds_one(tensor: torch.Tensor | None) -> bool:
    return tensor is not None and is_fixed(tensor) and tensor.numel() == 1


def _is_number(value: Value) -> bool:
    known = isinstance(value, Known) and type(value.value) in (bool, int, float)
    return known or isinstance(value, ScalarValue)


def searched_in_code(
    frame: Frame, node: cst.CSTNode, state: State, items: Value, name: str, kind: type,
    wanted: list[Value],
) -> Outcomes | None:  # fmt: skip
    """Return the outcomes of ``items.index(*wanted)`` and the like; None for other methods."""
    if name not in _IN_CODE or not 1 <= len(wanted) <= 3:
        return None
    arguments = [items, *wanted]
    if name == "index":
        arguments += [Known(0), _NO_LIMIT][len(wanted) - 1 :]
    if name != "count":
        arguments.append(Known(not_in(state, wanted[0], kind, name)))
    return call_value(frame, node, state, Known(_IN_CODE[name]), arguments, {})


def not_in(state: State, wanted: Value, kind: type, name: str) -> ValueError:
    """Return what Python raises for what is in no list, deque or tuple."""
    if issubclass(kind, tuple):
        return ValueError("tuple.index(x): x not in tuple")
    if name == "remove" and not issubclass(kind, deque):
        return ValueError("list.remove(x): x not in list")
    known = known_object(state, wanted)
    what = repr(known.value) if known is not None else "x"
    return ValueError(f"{what} is not in {'deque' if issubclass(kind, deque) else 'list'}")
