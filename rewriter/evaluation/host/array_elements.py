"""Elements and parts of arrays that the host has: ``array[i]``, ``for row in array``."""

import ast
from collections.abc import Iterator
from typing import Any

import libcst as cst
import numpy

from rewriter.evaluation.host.host_results import host_result
from rewriter.evaluation.rendering import render, render_index
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import HostValue, Known, ScalarValue, TupleValue, Value


def array_item(
    frame: Frame, node: cst.CSTNode, state: State, value: HostValue, index: Value
) -> Outcomes:
    """Evaluate ``array[index]``."""
    sample = value.sample
    assert isinstance(sample, numpy.ndarray)
    try:
        found = sample[_sample_index(frame, node, index)]
    except IndexError as error:
        frame.run.raise_known(state, error)
        return
    yield state, _part(frame, node, state, value, index, found, effect=True)


def _sample_index(frame: Frame, node: cst.CSTNode, index: Value) -> Any:
    """Return an index that fits where the index may: it gives a part of the same shape."""
    match index:
        case Known():
            return index.value
        case TupleValue():
            return tuple(_sample_index(frame, node, part) for part in index.items)
        case ScalarValue() if index.type is not None and _is_integer(index.type):
            return 0
        case HostValue() if isinstance(index.sample, numpy.ndarray):
            if _is_integer(index.sample.dtype.type):
                return numpy.zeros_like(index.sample)
            if index.sample.dtype == bool:
                frame.refuse(
                    "DYCL059",
                    node,
                    "how many elements a mask picks is known only at run time",
                    "index the tensor by the mask, before it becomes an array",
                )
    frame.refuse("DYCL059", node, "an array is indexed by this kind of value")


def _is_integer(kind: type) -> bool:
    return kind is int or issubclass(kind, numpy.integer)


def array_items(
    frame: Frame, node: cst.CSTNode, state: State, value: HostValue
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    """Yield what a walk over an array gives: rows, or elements."""
    sample = value.sample
    assert isinstance(sample, numpy.ndarray)
    if sample.ndim == 0:
        frame.run.raise_known(state, TypeError("iteration over a 0-d array"))
        return
    places = map(Known, range(len(sample)))
    yield (
        state,
        tuple(
            _part(frame, node, state, value, place, sample[place.value], effect=False)
            for place in places
        ),
    )


def _part(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    value: HostValue,
    index: Value,
    sample: object,
    *,
    effect: bool,
) -> Value:
    expression = ast.Subscript(
        value=render(frame.run, state, value),
        slice=render_index(frame.run, state, index),
        ctx=ast.Load(),
    )
    return host_result(frame, node, state, expression, sample, effect=effect)
