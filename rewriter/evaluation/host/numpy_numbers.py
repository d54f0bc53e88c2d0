"""Numbers of numpy among the operands of torch, which takes them as it takes Python's."""

import operator
from collections.abc import Callable
from typing import Any

import libcst as cst
import numpy
import torch

from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.rendering import call_expression, name_expression
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import Known, ScalarValue, SliceValue, TupleValue, Value


def is_numpy_integer(value: Value) -> bool:
    """Return whether a value is an integer of numpy's known only at run time."""
    return isinstance(value, ScalarValue) and issubclass(value.type or bool, numpy.integer)


def is_integer(state: State, value: Value) -> bool:
    """Return whether a value is certainly an integer of Python's or of numpy's, and no truth."""
    match value:
        case Known():
            return type(value.value) is int or isinstance(value.value, numpy.integer)
        case ScalarValue(type=None):
            return value.name in state.places.integers
        case ScalarValue():
            return value.type is int or is_numpy_integer(value)
        case _:
            return False


_OF_INTEGERS = frozenset(
    {operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod,
     operator.neg, operator.pos}
)  # fmt: skip
"""What gives an integer of one of Python's and one that may be numpy's; of two of numpy's, maybe
a float."""


def gives_integer(state: State, function: Callable[..., Any], operands: tuple[Value, ...]) -> bool:
    """Return whether an operator gives an integer of Python's or of numpy's, and no truth."""
    others = [one for one in operands if not _is_plain(one)]
    return (
        function in _OF_INTEGERS
        and len(others) < 2
        and all(is_integer(state, one) for one in operands)
    )


def _is_plain(value: Value) -> bool:
    return (
        value.type if isinstance(value, ScalarValue) else type(getattr(value, "value", None))
    ) is int


def plain_integer(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Value:
    """Return Python's integer for one of numpy's; the same for the same, so that sizes agree.

    ``max(0, n)`` is Python's integer or numpy's, by the path.
    """
    if not isinstance(value, ScalarValue):
        return value
    of_either = value.type is None and value.name in state.places.integers
    return _made(frame, node, state, value, int) if of_either or is_numpy_integer(value) else value


def plain_index(frame: Frame, node: cst.CSTNode, state: State, index: Value) -> Value:
    """Return an index with Python's integers for numbers of one type or another."""
    match index:
        case TupleValue():
            return TupleValue(tuple(plain_index(frame, node, state, one) for one in index.items))
        case SliceValue():
            bounds = (index.start, index.stop, index.step)
            return SliceValue(
                *(
                    bound_of(frame, node, state, bound)
                    if isinstance(bound, ScalarValue) and bound.type is None
                    else bound
                    for bound in bounds
                )
            )
        case ScalarValue(type=None):
            return plain_integer(frame, node, state, index)
        case Known(value=torch.Tensor() as places) if _is_one_integer(places):
            return Known(int(places))
        case Known(value=tuple() as parts):
            plain = (plain_index(frame, node, state, Known(part)) for part in parts)
            found = tuple(one.value for one in plain if isinstance(one, Known))
            return index if all(map(operator.is_, found, parts)) else Known(found)
        case _:
            return index


def _is_one_integer(places: torch.Tensor) -> bool:
    """Return whether numpy takes a tensor for an integer: ``array[torch.tensor([1])]`` is a row."""
    whole = not (places.is_floating_point() or places.is_complex() or places.dtype == torch.bool)
    return whole and places.numel() == 1


def plain_number(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Value:
    """Return Python's integer or float for a number of numpy's."""
    if isinstance(value, ScalarValue) and issubclass(value.type or bool, numpy.floating):
        return _made(frame, node, state, value, float)
    return plain_integer(frame, node, state, value)


def plain_element(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Value:
    """Return Python's number for one of numpy's that PyTorch takes for an element.

    Of floats, it takes those that are Python's floats as well, of double precision.
    """
    if isinstance(value, ScalarValue) and value.type is numpy.float64:
        return _made(frame, node, state, value, float)
    return plain_integer(frame, node, state, value)


def plain_bounds(frame: Frame, node: cst.CSTNode, state: State, part: Value) -> Value:
    """Return a part of an index with Python's integers: the integer, or a slice's bounds."""
    if not isinstance(part, SliceValue):
        return plain_integer(frame, node, state, part)
    bounds = (part.start, part.stop, part.step)
    return SliceValue(*(bound_of(frame, node, state, bound) for bound in bounds))


def bound_of(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Value:
    """Return Python's integer for a bound of a range or slice; a float is a TypeError."""
    if not isinstance(value, ScalarValue) or value.type is not None:
        return plain_integer(frame, node, state, value)
    reference = frame.run.builder.reference(operator.index, "index")
    expression = call_expression(reference, [name_expression(value.name)])
    return host_scalar(frame.run, state, expression, int, frame.origin(node), effect=True)


def _made(
    frame: Frame, node: cst.CSTNode, state: State, value: ScalarValue, kind: type
) -> ScalarValue:
    key = (value.name, kind.__name__)
    _, known = state.of_lists.get(key, (0, None))
    if isinstance(known, ScalarValue):
        return known
    reference = frame.run.builder.reference(kind, kind.__name__)
    expression = call_expression(reference, [name_expression(value.name)])
    made = host_scalar(frame.run, state, expression, kind, frame.origin(node), may_raise=False)
    state.of_lists[key] = (0, made)
    return made
