"""``value.name``: attributes of values of every kind, tuples and ``super()`` among them."""

import types
from typing import NoReturn

import libcst as cst

from rewriter.class_members import class_member
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.containers.container_classes import is_generated
from rewriter.evaluation.containers.lazy_iterators import GENERATOR_METHODS, is_generator
from rewriter.evaluation.dispatch import evaluate, expression_rule
from rewriter.evaluation.host.host_attributes import host_value_attribute
from rewriter.evaluation.instances.class_attributes import computed_attribute
from rewriter.evaluation.instances.instance_attributes import cell_attribute
from rewriter.evaluation.instances.known_attributes import known_attribute
from rewriter.evaluation.instances.shared_attributes import shared_attribute
from rewriter.evaluation.instances.user_classes import class_of
from rewriter.evaluation.refusals import UsedPoison
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.tensor_attributes import tensor_attribute
from rewriter.known_paths import is_library
from rewriter.prelude.searching import has_none_of
from rewriter.state import State
from rewriter.values import (
    DictCell,
    FunctionValue,
    HostValue,
    IteratorValue,
    Known,
    ListCell,
    MethodValue,
    Poison,
    Reference,
    RunTimeRange,
    ScalarValue,
    SetCell,
    SliceValue,
    SuperValue,
    TensorValue,
    TupleValue,
    Value,
    ViewValue,
)


@expression_rule(cst.Attribute)
def attribute(frame: Frame, node: cst.Attribute, state: State) -> Outcomes:
    """``value.name``."""
    for after, value in evaluate(frame, node.value, state):
        yield from get_attribute(frame, node, after, value, mangled(frame, node.attr.value))


def mangled(frame: Frame, name: str) -> str:
    """Return a private name as Python mangles it inside a class."""
    owner = "" if frame.owner is None else frame.owner.__name__.lstrip("_")
    is_private = name.startswith("__") and not name.endswith("__")
    return f"_{owner}{name}" if is_private and owner else name


def get_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, name: str
) -> Outcomes:
    """Evaluate ``getattr(value, name)``."""
    kind = _builtin_class(state, value) if name == "__class__" else None
    if kind is not None:
        return iter([(state, Known(kind))])
    shared = shared_attribute(frame, node, state, value, name)
    if shared is not None:
        return iter([(state, shared)])
    return _attribute(frame, node, state, value, name)


def _builtin_class(state: State, value: Value) -> type | None:
    """Return the class of a number or container, None for other values."""
    match value:
        case ScalarValue():
            return value.type
        case TupleValue():
            return value.kind
        case Reference():
            cell = state.heap[value.identity]
            return cell.kind if isinstance(cell, ListCell | DictCell | SetCell) else None
        case _:
            return None


def _attribute(frame: Frame, node: cst.CSTNode, state: State, value: Value, name: str) -> Outcomes:
    match value:
        case Known():
            yield from known_attribute(frame, node, state, value, name)
        case TensorValue():
            yield from tensor_attribute(frame, node, state, value, value.fake, name)
        case Reference():
            yield from cell_attribute(frame, node, state, value, name)
        case TupleValue():
            yield from _tuple_attribute(frame, node, state, value, name)
        case SuperValue():
            yield from _super_attribute(frame, node, state, value, name)
        case ScalarValue() | HostValue():
            yield from host_value_attribute(frame, node, state, value, name)
        case Poison():
            raise UsedPoison
        case IteratorValue() | ViewValue() | RunTimeRange() if (
            method := _asking(state, value, name)
        ) is not None:
            yield state, method
        case FunctionValue() | MethodValue() | SliceValue() | RunTimeRange():
            yield from _parts_of(frame, node, state, value, name)
        case _:
            _refuse_attribute(frame, node, name)


_ASKED = {
    IteratorValue: ("__iter__", "__next__"),
    ViewValue: ("__iter__", "__len__", "__reversed__"),
    RunTimeRange: ("__iter__", "__len__", "__reversed__"),
}
"""Methods of iterators, views of dicts and ranges: see ``methods.BY_BUILTINS``."""


def _asking(
    state: State, value: IteratorValue | ViewValue | RunTimeRange, name: str
) -> MethodValue | None:
    """Return a method of an iterator, view or range; None for other attributes."""
    generates = isinstance(value, IteratorValue) and is_generator(state, value)
    if generates and name in GENERATOR_METHODS:
        return MethodValue(value, Known(GENERATOR_METHODS[name]))
    if name == "isdisjoint" and isinstance(value, ViewValue) and value.part != "values":
        return MethodValue(value, Known(has_none_of))
    return MethodValue(value, name) if name in _ASKED[type(value)] else None


def _refuse_attribute(frame: Frame, node: cst.CSTNode, name: str) -> NoReturn:
    frame.refuse("DYCL039", node, f"attribute {name!r} of this object is not supported")


def _is_of_function(function: object, name: str) -> bool:
    """Return whether a method is asked for what the program gave its function, or for its name."""
    return isinstance(function, types.FunctionType) and (
        name == "__name__" or not hasattr(types.MethodType, name)
    )


def _parts_of(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    value: FunctionValue | MethodValue | SliceValue | RunTimeRange,
    name: str,
) -> Outcomes:
    match value:
        case FunctionValue():
            yield from _function_attribute(frame, node, state, value, name)
        case MethodValue(function=Known() as function) if _is_of_function(function.value, name):
            yield from get_attribute(frame, node, state, function, name)
        case MethodValue():
            _refuse_attribute(frame, node, name)
        case SliceValue() | RunTimeRange():
            yield state, _part_of(frame, node, value, name)


def _part_of(frame: Frame, node: cst.CSTNode, value: SliceValue | RunTimeRange, name: str) -> Value:
    match value:
        case SliceValue() if name in ("start", "stop", "step"):
            part: Value = getattr(value, name)
            return part
        case RunTimeRange() if name in ("start", "stop"):
            bound: Value = getattr(value, name)
            return bound
        case RunTimeRange() if name == "step":
            return Known(value.step) if value.stride is None else value.stride
        case _:
            _refuse_attribute(frame, node, name)


def _function_attribute(
    frame: Frame, node: cst.CSTNode, state: State, function: FunctionValue, name: str
) -> Outcomes:
    """Evaluate an attribute of a function of the call, which sets none.

    Decorators that are passed through may have set private ones.
    """
    calls = frame.run.calls
    own = function.source not in calls.renamed | calls.cached
    if name == "__name__":
        yield state, _name_of(frame, node, function)
    elif own and not name.startswith("_") and not hasattr(types.FunctionType, name):
        error = AttributeError(f"'function' object has no attribute '{name}'")
        frame.run.raise_known(state, error)
    else:
        _refuse_attribute(frame, node, name)


def _name_of(frame: Frame, node: cst.CSTNode, function: FunctionValue) -> Known:
    calls = frame.run.calls
    if function.source in calls.renamed | calls.cached:
        frame.refuse("DYCL039", node, "the name that functools gave a function")
    return Known(function.source.name.rpartition(".")[2])


def _tuple_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: TupleValue, name: str
) -> Outcomes:
    names = getattr(value.kind, "_fields", None) or getattr(value.kind, "__match_args__", None)
    fields: tuple[str, ...] = names or ()
    if name in fields:
        yield state, value.items[fields.index(name)]
        return
    if name in ("_asdict", "_replace", "_make") and is_generated(value.kind, name):
        yield state, MethodValue(value, name)
        return
    computed = computed_attribute(frame, node, state, value, value.kind, name)
    declared = class_member(value.kind, name)
    if computed is not None:
        yield from computed
    elif isinstance(declared, staticmethod | classmethod) and not is_library(
        declared.__func__.__module__
    ):
        yield state, Known(getattr(value.kind, name))
    elif declared is not None and not hasattr(type(declared), "__get__"):
        yield from get_attribute(frame, node, state, Known(value.kind), name)
    elif hasattr(value.kind, name):
        yield state, MethodValue(value, name)
    else:
        error = AttributeError(f"'{value.kind.__name__}' object has no attribute '{name}'")
        frame.run.raise_known(state, error)


def _super_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: SuperValue, name: str
) -> Outcomes:
    kind = class_of(state, value.receiver)
    if kind is None:
        frame.refuse("DYCL039", node, "super() of this object is not supported")
    if _is_in_class_method(kind, value):
        yield from _super_of_class(frame, node, state, value, name)
        return
    order = kind.__mro__
    for base in order[order.index(value.owner) + 1 :]:
        if name in vars(base):
            found = vars(base)[name]
            if isinstance(found, property) and found.fget is not None:
                yield from call_value(frame, node, state, Known(found.fget), [value.receiver], {})
            elif isinstance(found, staticmethod):
                yield state, Known(found.__func__)
            elif isinstance(found, classmethod):
                yield state, MethodValue(Known(kind), Known(found.__func__))
            elif callable(found):
                yield state, MethodValue(value.receiver, Known(found))
            else:
                yield state, Known(found)
            return
    error = AttributeError(f"'super' object has no attribute '{name}'")
    frame.run.raise_known(state, error)


def _is_in_class_method(kind: type, value: SuperValue) -> bool:
    """Return whether ``super()`` stands in a class method: its receiver is a class."""
    return (
        isinstance(value.receiver, Known)
        and isinstance(value.receiver.value, type)
        and value.owner not in kind.__mro__
    )


def _super_of_class(
    frame: Frame, node: cst.CSTNode, state: State, value: SuperValue, name: str
) -> Outcomes:
    """Evaluate an attribute of ``super()`` in a class method."""
    assert isinstance(value.receiver, Known)
    order = value.receiver.value.__mro__
    for base in order[order.index(value.owner) + 1 :]:
        if name in vars(base):
            found = vars(base)[name]
            if isinstance(found, classmethod):
                yield state, MethodValue(value.receiver, Known(found.__func__))
            else:
                yield state, Known(found.__func__ if isinstance(found, staticmethod) else found)
            return
    error = AttributeError(f"'super' object has no attribute '{name}'")
    frame.run.raise_known(state, error)
