"""Tensors made of arrays that the host has."""

import ast
from collections.abc import Iterator

import libcst as cst
import numpy
import torch

from rewriter.array_samples import OpenArray
from rewriter.evaluation.host.array_attributes import array_size
from rewriter.evaluation.host.array_memory import is_host_array, lay_tensor_over
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.host.host_tensors import tensor_from_host
from rewriter.evaluation.host.tensors_of_numbers import asked_dtype
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.rendering import call_expression, name_expression
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.size_values import size_of
from rewriter.state import State
from rewriter.values import HostValue, Known, TensorValue, Value

_BACKWARDS = (
    "At least one stride in the given numpy array is negative, and tensors with negative strides "
    "are not currently supported. (You can probably work around this by making a copy of your "
    "array  with array.copy().) "
)

_MAKING = (torch.tensor, torch.as_tensor, torch.from_numpy)


def made_of_array(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes | None:
    """Evaluate ``torch.from_numpy(a)`` and the like over an array; None for other calls."""
    data = positional[0] if positional else keywords.get("data")
    if function.value not in _MAKING or data is None or not is_host_array(data):
        return None
    assert isinstance(data, HostValue)
    return _of_array(frame, node, state, function, data, positional, keywords)


def _of_array(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    data: HostValue,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Make a tensor of an array's content; one over its memory may not be written.

    One of another element type is a copy.
    """
    # Methods of tensors import the table of rules: a real cycle.
    from rewriter.evaluation.tensors.tensor_methods import tensor_method

    asked = asked_dtype(frame, node, positional, keywords)
    for after in _lying_forwards(frame, node, state, data):
        made = tensor_of_array(frame, node, after, data)
        if asked not in (None, _dtype_of(frame, node, data)):
            yield from tensor_method(frame, node, after, made, "to", [Known(asked)], {})
            continue
        if function.value is not torch.tensor:
            lay_tensor_over(frame, node, data)
            frame.run.mark_lasting(made.fake)
        yield after, made


def tensor_of_array(frame: Frame, node: cst.CSTNode, state: State, data: HostValue) -> TensorValue:
    """Return a tensor of an array's content, of sizes known only at run time where those are."""
    assert isinstance(data.sample, numpy.ndarray | OpenArray)
    numbers = [array_size(frame, node, state, data, i) for i in range(data.sample.ndim)]
    sizes = [size for number in numbers if (size := size_of(frame.run, number)) is not None]
    expression, dtype = name_expression(data.name), _dtype_of(frame, node, data)
    strides = None
    if not data.laid:
        frame.run.storages.over_loose_arrays = True
    elif isinstance(data.sample, numpy.ndarray) and not data.sample.flags.c_contiguous:
        strides = [step // data.sample.itemsize for step in data.sample.strides]
    return tensor_from_host(frame, node, state, expression, dtype, tuple(sizes), strides=strides)


def _dtype_of(frame: Frame, node: cst.CSTNode, data: HostValue) -> torch.dtype:
    assert isinstance(data.sample, numpy.ndarray | OpenArray)
    try:
        return torch.from_numpy(numpy.empty(0, data.sample.dtype)).dtype
    except TypeError as error:
        frame.refuse("DYCL030", node, str(error))


def _lying_forwards(
    frame: Frame, node: cst.CSTNode, state: State, data: HostValue
) -> Iterator[State]:
    """Yield the path on which an array lies forwards in memory; others raise as PyTorch does."""
    if data.forward:
        yield state
        return
    run, origin = frame.run, frame.origin(node)
    strides = ast.Attribute(value=name_expression(data.name), attr="strides", ctx=ast.Load())
    zero = ast.Constant(value=0)
    least = call_expression(run.builder.reference(min, "min"), [strides], {"default": zero})
    test = ast.Compare(left=least, ops=[ast.Lt()], comparators=[zero])
    flag = host_scalar(run, state, test, bool, origin)
    for arm, backwards in truths(frame, node, state, flag):
        if backwards:
            run.raise_known(arm, ValueError(_BACKWARDS))
        else:
            yield arm
