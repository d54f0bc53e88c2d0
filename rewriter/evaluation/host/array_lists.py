"""Arrays of the host as lists, and as what is walked over."""

import ast

import libcst as cst
import numpy

from rewriter.array_samples import Array, OpenArray
from rewriter.evaluation.host.host_arrays import element_list
from rewriter.evaluation.host.host_statements import host_value
from rewriter.evaluation.rendering import call_expression, name_expression
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_objects import made
from rewriter.host_types import HostType, NumberType, ObjectType, SequenceType
from rewriter.state import State
from rewriter.values import HostValue


def array_list(frame: Frame, node: cst.CSTNode, state: State, value: HostValue) -> Outcomes:
    """Evaluate ``array.tolist()``: nested lists of numbers."""
    sample = value.sample
    assert isinstance(sample, numpy.ndarray | OpenArray)
    method = ast.Attribute(value=name_expression(value.name), attr="tolist", ctx=ast.Load())
    expression = call_expression(method, [])
    kind = type(numpy.zeros(1, sample.dtype).tolist()[0])
    if isinstance(sample, OpenArray):
        element: HostType = NumberType(kind)
        for _ in range(sample.ndim - 1):
            element = SequenceType(element)
        yield state, made(frame, node, state, expression, SequenceType(element))
        return
    whole = host_value(frame.run, state, expression, [], frame.origin(node), effect=True)
    name = name_expression(whole.name)
    yield state, element_list(frame, state, name, sample.shape, kind, node)


def row_type(sample: OpenArray | Array) -> HostType:
    """Return the type of what a walk over an array gives: rows, or elements."""
    if sample.ndim == 1:
        return NumberType(sample.dtype.type)
    shape = sample.shape[1:]
    sizes = [size for size in shape if size is not None]
    if len(sizes) == len(shape):
        return ObjectType(numpy.ones(sizes, sample.dtype))
    return ObjectType(OpenArray(sample.dtype, shape))
