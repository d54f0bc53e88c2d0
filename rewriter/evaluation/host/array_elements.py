"""Elements and parts of arrays that the host has: ``array[i]``, ``for row in array``."""

import ast
from collections.abc import Iterator
from typing import Any

import libcst as cst
import numpy

from rewriter.array_samples import OpenArray
from rewriter.evaluation.host.host_samples import Trial, sample_argument
from rewriter.evaluation.host.numpy_numbers import plain_index
from rewriter.evaluation.host.tensor_indices import without_tensors
from rewriter.evaluation.host.trying_functions import Part, Tried, emit_tried, tried
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
    known = _at_known_place(value, index)
    if known is None:
        return None
    sample, place = known
    if isinstance(sample, OpenArray) and not _makes_views(place):
        return None
    first, *others = [_error_at(sample, size, place) for size in _ANY_SIZES]
    alike = all(str(other) == str(first) for other in others)
    return first if alike and isinstance(first, IndexError) else None


_ANY_SIZES = (0, 2**31)
"""What is wrong with an index at both of these is so at any size that is known only at run time."""


def _at_known_place(
    value: Value, index: Value
) -> tuple[numpy.ndarray[Any, Any] | OpenArray, Any] | None:
    """Return an array's sample and a known index, None where one of them is not known."""
    sample = value.sample if isinstance(value, HostValue) else None
    if not isinstance(sample, numpy.ndarray | OpenArray):
        return None
    try:
        return sample, _known_index(index)
    except NotMaterial:
        return None


def _makes_views(place: object) -> bool:
    """Return whether an index is of integers and slices only."""
    parts = place if isinstance(place, tuple) else (place,)
    return all(
        part is None or part is ... or isinstance(part, slice) or type(part) is int
        for part in parts
    )


def _error_at(sample: numpy.ndarray | OpenArray, size: int, place: Any) -> Exception | None:
    sizes = [size if each is None else each for each in sample.shape]
    try:
        numpy.broadcast_to(numpy.zeros((), sample.dtype), sizes)[place]
    except Exception as error:
        return error
    return None


def _known_index(index: Value) -> Any:
    """Return an index that is known; raise ``NotMaterial`` for others."""
    match index:
        case Known():
            return index.value
        case TupleValue():
            return tuple(map(_known_index, index.items))
        case SliceValue():
            return slice(*map(_known_index, (index.start, index.stop, index.step)))
        case _:
            raise NotMaterial("a value known only at run time", index)


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
    content = value.value if isinstance(value, Known) else getattr(value, "sample", None)
    if hasattr(type(content), "mask"):  # as numpy.ma's, which asking for may import
        frame.refuse("DYCL059", node, "elements of a masked array have a type by their mask")
    index = without_tensors(frame, node, state, plain_index(frame, node, state, index))

    def compute(trial: Trial) -> object:
        array = sample_argument(state, value, trial)
        return array[sample_index(frame, node, state, index, trial)]

    element = _element_at_integers(value, index)
    try:
        if element is not None:
            found = Tried(Part(element), ())
        else:
            found = tried(frame, node, state, "indexing", compute)
        expression = ast.Subscript(
            value=render(frame.run, state, value),
            slice=render_index(frame.run, state, index),
            ctx=ast.Load(),
        )
    except NotMaterial as error:
        frame.refuse("DYCL059", node, f"an array is indexed by {error.reason}")
    may_raise = not _is_there(value, index)
    return emit_tried(frame, node, state, "indexing", expression, found, may_raise=may_raise)


def _element_at_integers(value: Value, index: Value) -> numpy.generic | None:
    """Return a sample of what an integer for each dimension gives; None for all other indices.

    What it is needs no trial: programs over arrays ask for elements most of all.
    """
    sample = value.sample if isinstance(value, HostValue) else None
    if isinstance(value, Known):
        sample = value.value
    if not isinstance(sample, numpy.ndarray | OpenArray) or sample.dtype.kind not in "biufc":
        return None
    parts = index.items if isinstance(index, TupleValue) else (index,)
    if isinstance(index, Known) and type(index.value) is tuple:
        parts = tuple(map(Known, index.value))
    if len(parts) != sample.ndim or not all(map(_is_place, parts)):
        return None
    element: numpy.generic = sample.dtype.type(1)
    return element


def _is_place(value: Value) -> bool:
    """Return whether a part of an index is an integer."""
    if isinstance(value, Known):
        return _is_integer(type(value.value))
    return isinstance(value, ScalarValue) and value.type is not None and _is_integer(value.type)


def _is_there(value: Value, index: Value) -> bool:
    """Return whether an array has what a known index of integers and slices says, at any size."""
    known = _at_known_place(value, index)
    if known is None:
        return False
    sample, place = known
    return _makes_views(place) and all(
        _error_at(sample, size, place) is None for size in _ANY_SIZES
    )
