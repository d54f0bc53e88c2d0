"""``is``: whether two values are one object."""

import ast
import types

import libcst as cst
import torch

from rewriter.array_samples import class_of_sample
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.refusals import UsedPoison
from rewriter.evaluation.rendering import render, tensor_of
from rewriter.evaluation.run import Frame
from rewriter.host_type_properties import is_host_instance
from rewriter.known_paths import is_library
from rewriter.size_expressions import is_fixed
from rewriter.state import State
from rewriter.storages import same_view
from rewriter.values import (
    Cell,
    FunctionValue,
    HostValue,
    IteratorValue,
    Known,
    MethodValue,
    Poison,
    Reference,
    RunTimeCell,
    RunTimeRange,
    ScalarValue,
    SliceValue,
    TensorValue,
    TupleValue,
    Value,
    ViewValue,
)


def identical(frame: Frame, node: cst.CSTNode, state: State, left: Value, right: Value) -> bool:
    """Return whether two values are one object; refuse where that depends on the path."""
    match left, right:
        case (Known(), Known()):
            return _identical_known(frame, node, left.value, right.value)
        case (TensorValue(), TensorValue() | Known(value=torch.Tensor())) | (
            Known(value=torch.Tensor()),
            TensorValue(),
        ):
            return _identical_tensors(frame, node, state, left, right)
        case (Reference(), Reference()):
            return _identical_objects(frame, node, state, left, right)
        case (Poison(), _) | (_, Poison()):
            raise UsedPoison
        case (ScalarValue() as scalar, Known() as known) | (
            Known() as known,
            ScalarValue() as scalar,
        ):
            if scalar.type is None or type(known.value) is scalar.type:
                frame.refuse("DYCL037", node, "`is` between a run-time number and a number")
            return False
        case (FunctionValue(), FunctionValue()):
            return left is right
        case (IteratorValue(), IteratorValue()):
            return left.identity == right.identity
        case (ScalarValue() | HostValue(), ScalarValue() | HostValue()):
            frame.refuse("DYCL037", node, "`is` between two run-time values")
        case _:
            return _identical_parts(frame, node, left, right)


def _identical_known(frame: Frame, node: cst.CSTNode, left: object, right: object) -> bool:
    if isinstance(left, types.TracebackType) and isinstance(right, types.TracebackType):
        frame.refuse("DYCL037", node, "`is` between two tracebacks")
    return left is right or (
        isinstance(left, bool | int | str) and left == right and type(left) is type(right)
    )


def sameness(
    frame: Frame, node: cst.CSTNode, state: State, left: Value, right: Value
) -> Known | ScalarValue:
    """Return whether two values are one object: objects of the host are asked at run time."""
    if not (isinstance(left, Reference) and isinstance(right, Reference)):
        return Known(identical(frame, node, state, left, right))
    cells = (state.heap[left.identity], state.heap[right.identity])
    if left.identity == right.identity or not all(map(_is_one_on_host, cells)):
        return Known(identical(frame, node, state, left, right))
    one, other = (render(frame.run, state, value) for value in (left, right))
    test = ast.Compare(left=one, ops=[ast.Is()], comparators=[other])
    return host_scalar(frame.run, state, test, bool, frame.origin(node), may_raise=False)


def _is_one_on_host(cell: Cell) -> bool:
    """Return whether an object is an instance made in the call, which is one dict on the host.

    Lists and dicts may be the caller's or kept by the model, and then be copies.
    """
    return isinstance(cell, RunTimeCell) and is_host_instance(cell.type)


def _identical_parts(frame: Frame, node: cst.CSTNode, left: Value, right: Value) -> bool:
    """Compare values that are made anew where paths join: only some are surely one, or two."""
    kind = _kind_without_identity(left)
    if left is right:
        return True
    if kind is None or kind is not _kind_without_identity(right):
        return False
    if isinstance(left, TupleValue) and isinstance(right, TupleValue):
        lengths = (len(left.items), len(right.items))
        if 0 in lengths or lengths[0] != lengths[1]:
            return lengths == (0, 0)
    frame.refuse("DYCL037", node, f"`is` between two objects of class {kind.__name__}")


def _kind_without_identity(value: Value) -> type | None:
    match value:
        case TupleValue():
            return value.kind
        case Known() if isinstance(value.value, tuple | str | slice):
            return type(value.value)
        case HostValue():
            return class_of_sample(value.sample)
        case MethodValue():
            return types.MethodType
        case ViewValue() | SliceValue() | RunTimeRange():
            return type(value)
        case _:
            return None


def _identical_objects(
    frame: Frame, node: cst.CSTNode, state: State, left: Reference, right: Reference
) -> bool:
    if left.identity == right.identity:
        return True
    cells = (state.heap[left.identity], state.heap[right.identity])
    arguments = frame.run.argument_objects.places.keys()
    if all(isinstance(cell, RunTimeCell) for cell in cells):
        frame.refuse("DYCL037", node, "`is` between two run-time containers")
    if {left.identity, right.identity} <= arguments:
        frame.refuse("DYCL037", node, "`is` between two objects that are arguments")
    if {left.identity, right.identity} <= frame.run.cached_results:
        frame.refuse("DYCL037", node, "`is` between two objects that cached functions gave")
    return False


def _identical_tensors(
    frame: Frame, node: cst.CSTNode, state: State, left: Value, right: Value
) -> bool:
    if isinstance(left, TensorValue) and isinstance(right, TensorValue):
        return _identical_of_run_time(frame, node, state, left, right)
    tensor, known = (left, right) if isinstance(left, TensorValue) else (right, left)
    assert isinstance(tensor, TensorValue) and isinstance(known, Known)
    return _is_of_model(frame, node, state.current(tensor), known.value)


def _identical_of_run_time(
    frame: Frame, node: cst.CSTNode, state: State, left: TensorValue, right: TensorValue
) -> bool:
    storages = frame.run.storages
    one, other = state.current(left), state.current(right)
    if one.name == other.name and one.name not in storages.aliased:
        return True
    contained = not storages.contained.isdisjoint({one.name, other.name})
    if contained or same_view(one.fake, other.fake) or storages.may_coincide(one.fake, other.fake):
        frame.refuse("DYCL037", node, _PERHAPS_ONE)
    _take_apart(frame, left, right)
    return False


_PERHAPS_ONE = "`is` between tensors that may be one object"


def _take_apart(frame: Frame, left: TensorValue, right: TensorValue) -> None:
    """Have calls refused that give one tensor for two arguments which are taken to be two.

    What torch's own code does is the same either way: its attention asks only for speed.
    """
    entered = {argument.name for argument in frame.run.arguments.values()}
    names = {left.name, right.name}
    told = frame.source.is_prelude or not is_library(str(frame.globals.get("__name__")))
    if told and names <= entered and _may_be_alike(left.fake, right.fake):
        frame.run.argument_objects.separate |= names


def _may_be_alike(left: torch.Tensor, right: torch.Tensor) -> bool:
    """Return whether one tensor may fit both, by element type and sizes."""
    if left.dtype != right.dtype or left.dim() != right.dim():
        return False
    sizes = zip(left.shape, right.shape, strict=True)
    return all(one == other for one, other in sizes if type(one) is type(other) is int)


def _is_of_model(frame: Frame, node: cst.CSTNode, tensor: TensorValue, known: torch.Tensor) -> bool:
    """Return whether a tensor of run time is one that the model holds: one of several may be."""
    storages = frame.run.storages
    held = tensor.name in storages.contained and _may_be_alike(tensor.fake, known)
    if held or storages.may_coincide(tensor.fake, known):
        frame.refuse("DYCL037", node, _PERHAPS_ONE)
    return False


def equals_itself(value: Value) -> bool:
    """Return whether a value is one integer or truth of a tensor, which is equal to itself.

    Whether it is the very object that it is compared with makes no difference then.
    """
    content = tensor_of(value)
    if content is None or content.dtype.is_floating_point or content.dtype.is_complex:
        return False
    return is_fixed(content) and content.numel() == 1


def surely_identical(left: Value, right: Value) -> bool:
    """Return whether two values, no tensors, are one object for certain.

    Python asks this of what is in containers before it compares: a NaN is in ``[nan]``.
    """
    match left, right:
        case (ScalarValue(), ScalarValue()):
            return left.name == right.name
        case (Known(), Known()):
            return left.value is right.value
        case (Reference(), Reference()):
            return left.identity == right.identity
        case _:
            return left is right and not isinstance(left, TensorValue)


def refuse_nan(frame: Frame, node: cst.CSTNode, left: Value, right: Value) -> None:
    """Refuse to search for a NaN among run-time numbers: only the very same object is found."""
    for value, other in ((left, right), (right, left)):
        if is_nan(value) and isinstance(other, ScalarValue) and other.type not in (int, bool):
            frame.refuse("DYCL053", node, "a NaN is compared in a container with run-time numbers")


def is_nan(value: Value) -> bool:
    """Return whether a value is a known number that is not equal to itself."""
    content = value.value if isinstance(value, Known) else None
    return isinstance(content, float | complex) and content != content
