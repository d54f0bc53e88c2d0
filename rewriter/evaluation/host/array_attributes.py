"""Attributes of arrays that the host has; their sizes as numbers of the host."""

import ast

import libcst as cst
import numpy

from rewriter.array_samples import OpenArray
from rewriter.evaluation.host.host_samples import Trial, sample_argument
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.host.trying_functions import emit_tried, tried
from rewriter.evaluation.rendering import name_expression
from rewriter.evaluation.run import Frame
from rewriter.evaluation.tensors.size_values import sized
from rewriter.state import State
from rewriter.values import HostValue, Known, MethodValue, ScalarValue, TupleValue, Value

_OF_THE_TYPE = ("dtype", "ndim", "itemsize")
_OF_THE_SIZE = ("size", "nbytes")


def array_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: HostValue, name: str
) -> Value:
    """Return an attribute of an array."""
    sample = value.sample
    assert isinstance(sample, numpy.ndarray | OpenArray)
    example = numpy.empty([size or 0 for size in sample.shape], sample.dtype)
    if name == "shape":
        return array_shape(frame, node, state, value)
    if name in _OF_THE_TYPE:
        return Known(getattr(example, name))
    expression = ast.Attribute(value=name_expression(value.name), attr=name, ctx=ast.Load())
    if name in _OF_THE_SIZE:
        if isinstance(sample, numpy.ndarray):
            return Known(getattr(example, name))
        number = host_scalar(frame.run, state, expression, int, frame.origin(node))
        frame.run.naturals.add(number.name)
        return number
    if name in ("real", "imag", "T"):

        def compute(trial: Trial) -> object:
            return getattr(sample_argument(state, value, trial), name)

        found = tried(frame, node, state, name, compute)
        return emit_tried(frame, node, state, name, expression, found)
    if callable(getattr(example, name, None)):
        return MethodValue(value, name)
    frame.refuse("DYCL059", node, f"attribute {name!r} of a run-time array")


def array_shape(frame: Frame, node: cst.CSTNode, state: State, value: HostValue) -> TupleValue:
    """Return ``array.shape``."""
    assert isinstance(value.sample, numpy.ndarray | OpenArray)
    return TupleValue(
        tuple(array_size(frame, node, state, value, place) for place in range(value.sample.ndim))
    )


def array_size(
    frame: Frame, node: cst.CSTNode, state: State, value: HostValue, dimension: int
) -> Known | ScalarValue:
    """Return ``array.shape[dimension]``, which never changes: the number found before."""
    assert isinstance(value.sample, numpy.ndarray | OpenArray)
    size = value.sample.shape[dimension]
    if size is not None:
        return Known(size)
    key = (value.name, f"shape[{dimension}]")
    _, known = state.of_lists.get(key, (0, None))
    if isinstance(known, ScalarValue):
        return known
    shape = ast.Attribute(value=name_expression(value.name), attr="shape", ctx=ast.Load())
    expression = ast.Subscript(value=shape, slice=ast.Constant(value=dimension), ctx=ast.Load())
    number = host_scalar(frame.run, state, expression, int, frame.origin(node))
    frame.run.naturals.add(number.name)
    number = sized(frame.run, number, frame.run.symbol_of(number.name))
    state.of_lists[key] = (0, number)
    return number
