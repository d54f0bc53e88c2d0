"""Searching for objects of users' classes, whose ``__eq__`` the host does not have."""

import ast
from collections import deque

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.operators.identity import sameness
from rewriter.evaluation.rendering import known_object, render, tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_kinds import record_of_keys
from rewriter.host_type_properties import has_instance, has_tensor, is_host_instance
from rewriter.host_type_relations import decided
from rewriter.host_types import HostType, NumberType, OptionalType, RecordType, TensorType
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
    if are_own_objects(element) or is_own_object(state, wanted) or _are_dicts_in_code(element):
        return True
    found = decided(element)
    one = found.like if isinstance(found, TensorType) and not found.any_size else None
    other = tensor_of(wanted)
    numbers = isinstance(found, NumberType) or _holds_one(one)
    also = _is_number(wanted) or _holds_one(other)
    return numbers and also and (one is not None or other is not None)


def _are_dicts_in_code(element: HostType) -> bool:
    """Return whether a container of the host holds dicts that the host does not compare."""
    found = decided(element)
    found = decided(found.item) if isinstance(found, OptionalType) else found
    is_dict = isinstance(found, RecordType) and found.kind is dict
    return found is not None and is_dict and (has_tensor(found) or has_instance(found))


@special(searching.is_one)
def is_one(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Return whether two values are one object.

    A dict that is the caller's, or kept, may be two copies on the host: its values, which are the
    same, are compared then.
    """
    del keywords
    if all(record_of_keys(state, value) is not None for value in positional):
        one, other = (render(frame.run, state, value) for value in positional)
        test = ast.Compare(left=one, ops=[ast.Is()], comparators=[other])
        origin = frame.origin(node)
        yield state, host_scalar(frame.run, state, test, bool, origin, may_raise=False)
        return
    item, wanted = positional
    yield state, sameness(frame, node, state, item, wanted)


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
