"""Tensors read by the host: as arrays, or as lists of numbers."""

import ast
from collections import deque
from dataclasses import replace

import libcst as cst
import numpy
import torch

from rewriter.array_samples import Array, OpenArray
from rewriter.evaluation.containers.containers import adopt
from rewriter.evaluation.host.arrays_of_tensors import memory_of
from rewriter.evaluation.host.host_statements import host_scalar, host_value
from rewriter.evaluation.operators.truth import scalar_type
from rewriter.evaluation.rendering import call_expression, name_expression
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_objects import made
from rewriter.host_types import HostType, NumberType, SequenceType
from rewriter.size_expressions import is_dense_layout, is_fixed, keys_of
from rewriter.state import State
from rewriter.values import FOREIGN, ListCell, Reference, RunTimeCell, TensorValue, Value

_KNOWN_NUMBERS = 1024
"""Elements up to which a tensor that depends on no input is a list of known numbers."""


def array_of(frame: Frame, node: cst.CSTNode, state: State, tensor: TensorValue) -> Outcomes:
    """Evaluate ``tensor.numpy()``: an array on the host."""
    tensor = state.current(tensor)
    sample = sample_array(tensor.fake)
    if sample is None:
        frame.refuse("DYCL058", node, f"numpy has no element type like {tensor.fake.dtype}")
    if frame.run.storages.may_have_home(tensor.fake):
        frame.refuse(
            "DYCL035",
            node,
            "an array shares the memory of a tensor that is written in a container",
            "take the array of a copy: .clone().numpy()",
        )
    dense = is_dense_layout(tensor.fake)
    memory, copies = memory_of(frame, node, state, tensor) if dense else (FOREIGN, False)
    frame.run.storages.export(tensor.fake)
    making = (numpy.array, "numpy.array") if copies else (numpy.asarray, "numpy.asarray")
    function = frame.run.builder.reference(*making)
    expression = call_expression(function, [name_expression(tensor.name)])
    made = host_value(frame.run, state, expression, sample, frame.origin(node))
    yield state, replace(made, memory=memory, forward=True, alike=dense, laid=dense)


def sample_array(
    fake: torch.Tensor,
) -> Array | OpenArray | None:
    """Return an array of a tensor's dtype and shape whose content means nothing."""
    try:
        if not is_fixed(fake):
            sizes = tuple(size if isinstance(size, int) else None for size in keys_of(fake.shape))
            return OpenArray(torch.ones(0, dtype=fake.dtype).numpy().dtype, sizes)
        return torch.ones(tuple(fake.shape), dtype=fake.dtype).numpy()
    except TypeError:
        return None


def list_of(frame: Frame, node: cst.CSTNode, state: State, tensor: TensorValue) -> Outcomes:
    """Evaluate ``tensor.tolist()``: nested lists of known length with run-time numbers."""
    tensor = state.current(tensor)
    if tensor.constant is not None and tensor.constant.numel() <= _KNOWN_NUMBERS:
        yield state, adopt(frame.run, state, tensor.constant.tolist())
        return
    kind = scalar_type(tensor.fake.dtype)
    method = ast.Attribute(value=name_expression(tensor.name), attr="tolist", ctx=ast.Load())
    expression = call_expression(method, [])
    origin = frame.origin(node)
    if tensor.fake.dim() == 0:
        yield state, host_scalar(frame.run, state, expression, kind, origin)
        return
    whole = host_value(frame.run, state, expression, [], origin)
    name = name_expression(whole.name)
    if not all(isinstance(size, int) for size in tensor.fake.shape):
        yield state, _run_time_list(frame, state, tensor, whole.name, kind)
        return
    yield state, element_list(frame, state, name, tensor.fake.shape, kind, node)


def _run_time_list(frame: Frame, state: State, tensor: TensorValue, name: str, kind: type) -> Value:
    """Return the elements of a tensor of run-time size as lists of the host."""
    element: HostType = NumberType(kind)
    for _ in range(tensor.fake.dim() - 1):
        element = SequenceType(element)
    return frame.run.allocate(state, RunTimeCell(name, SequenceType(element)))


def element_list(
    frame: Frame,
    state: State,
    whole: ast.expr,
    shape: tuple[int, ...],
    kind: type,
    node: cst.CSTNode,
) -> Value:
    """Return the elements of nested lists of known lengths as run-time numbers."""
    if not shape:
        return host_scalar(frame.run, state, whole, kind, frame.origin(node))
    items = [
        element_list(
            frame,
            state,
            ast.Subscript(value=whole, slice=ast.Constant(value=position), ctx=ast.Load()),
            shape[1:],
            kind,
            node,
        )
        for position in range(shape[0])
    ]
    return frame.run.allocate(state, ListCell(tuple(items)))


def host_argument(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Value:
    """Return an argument of a numpy function, with an array in place of a tensor.

    Tensors in lists and tuples stay: numpy makes arrays of them, on the host as in eager. A deque
    is to numpy what a list of its items is.
    """
    if isinstance(value, TensorValue):
        ((_, array),) = array_of(frame, node, state, value)
        return array
    cell = state.heap[value.identity] if isinstance(value, Reference) else None
    match cell:
        case ListCell(kind=kind) if kind is deque:
            return frame.run.allocate(state, ListCell(cell.items))
        case RunTimeCell(name=name, type=SequenceType(kind=kind) as given) if kind is deque:
            listed = call_expression(
                frame.run.builder.reference(list, "list"), [name_expression(name)]
            )
            return made(frame, node, state, listed, SequenceType(given.element))
        case _:
            return value
