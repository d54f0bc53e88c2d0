"""Elements and parts of arrays that the host has: ``array[i]``, ``for row in array``."""

import ast
from collections.abc import Iterator
from typing import Any

import libcst as cst
import numpy

from rewriter.array_samples import OpenArray
from rewriter.evaluation.host.host_samples import Trial, sample_argument
from rewriter.evaluation.host.trying_functions import emit_tried, tried
from rewriter.evaluation.rendering import (
    NotMaterial,
    render,
    render_index,
)
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import (
    HostValue,
    Known,
    Reference,
    ScalarValue,
    SliceValue,
    TupleValue,
    Value,
)


def array_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, index: Value
) -> Outcomes:
    """Evaluate ``array[index]``."""
    error = _error_of_known(value, index)
    if error is not None:
        frame.run.raise_known(state, error)
        return
    yield state, part_of_array(frame, node, state, value, index)


def _error_of_known(value: Value, index: Value) -> IndexError | None:
    """Return the error of an index that is known, and out of the bounds of known sizes."""
    sample = value.sample if isinstance(value, HostValue) else None
    if isinstance(sample, numpy.ndarray) and isinstance(index, Known):
        try:
            sample[index.value]
        except IndexError as error:
            return error
        except Exception:
            return None
    return None


def sample_index(frame: Frame, node: cst.CSTNode, state: State, index: Value, trial: Trial) -> Any:
    """Return an index that fits where the index may: it gives a part of the same shape."""
    match index:
        case Known():
            return index.value
        case TupleValue():
            return tuple(sample_index(frame, node, state, part, trial) for part in index.items)
        case ScalarValue() if index.type is not None and _is_integer(index.type):
            return 0
        case SliceValue() | Reference():
            return sample_argument(state, index, trial)
        case HostValue(sample=numpy.ndarray() | OpenArray() as sample):
            made = trial.array(sample, index)
            return numpy.zeros_like(made) if _is_integer(made.dtype.type) else made
    frame.refuse("DYCL059", node, "an array is indexed by this kind of value")


def _is_integer(kind: type) -> bool:
    return kind is int or issubclass(kind, numpy.integer)


def array_items(
    frame: Frame, node: cst.CSTNode, state: State, value: HostValue
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    """Yield what a walk over an array of known size gives: rows, or elements."""
    sample = value.sample
    assert isinstance(sample, numpy.ndarray)
    if sample.ndim == 0:
        frame.run.raise_known(state, TypeError("iteration over a 0-d array"))
        return
    places = map(Known, range(len(sample)))
    yield state, tuple(part_of_array(frame, node, state, value, place) for place in places)


def part_of_array(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, index: Value
) -> Value:
    """Emit ``array[index]``; return what it gives."""

    def compute(trial: Trial) -> object:
        array = sample_argument(state, value, trial)
        return array[sample_index(frame, node, state, index, trial)]

    try:
        found = tried(frame, node, state, "indexing", compute)
        expression = ast.Subscript(
            value=render(frame.run, state, value),
            slice=render_index(frame.run, state, index),
            ctx=ast.Load(),
        )
    except NotMaterial as error:
        frame.refuse("DYCL059", node, f"an array is indexed by {error.reason}")
    return emit_tried(frame, node, state, "indexing", expression, found)
