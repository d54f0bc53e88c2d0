"""Objects and attributes: user classes, properties, modules, tensors, instances made here."""

import ast
import functools
import inspect
import types
from collections import OrderedDict, deque

import libcst as cst
import torch

from rewriter.evaluation.argument_parts import missing_attribute, read_attribute
from rewriter.evaluation.calls import call_value
from rewriter.evaluation.container_classes import is_of_dict
from rewriter.evaluation.dispatch import evaluate, expression_rule
from rewriter.evaluation.host_objects import host_attribute
from rewriter.evaluation.leaf.evaluation import evaluate_operation
from rewriter.evaluation.leaf.operation import Operation
from rewriter.evaluation.refusals import UsedPoison
from rewriter.evaluation.rendering import render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time_records import field_of
from rewriter.evaluation.user_classes import class_of, user_method
from rewriter.host_types import RecordType
from rewriter.keeping.noting import keep_object, note_read, resident
from rewriter.known_paths import is_library
from rewriter.schemas import ClassFacts, ObjectSample
from rewriter.state import State
from rewriter.values import (
    DictCell,
    FunctionValue,
    HostValue,
    IteratorCell,
    IteratorValue,
    Known,
    ListCell,
    MethodValue,
    ObjectCell,
    Poison,
    Reference,
    RunTimeCell,
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

_MISSING = object()
CHANGING = frozenset(
    {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update",
     "setdefault", "popitem", "__setitem__", "__delitem__", "__iadd__", "appendleft",
     "popleft", "extendleft", "rotate", "add", "discard"}
)  # fmt: skip
"""Methods that change a container."""


@expression_rule(cst.Attribute)
def attribute(frame: Frame, node: cst.Attribute, state: State) -> Outcomes:
    """``value.name``."""
    for after, value in evaluate(frame, node.value, state):
        yield from get_attribute(frame, node, after, value, mangled(frame, node.attr.value))


def mangled(frame: Frame, name: str) -> str:
    """Return a private name as Python mangles it inside a class."""
    if name.startswith("__") and not name.endswith("__") and frame.owner is not None:
        return f"_{frame.owner.__name__.lstrip('_')}{name}"
    return name


def get_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, name: str
) -> Outcomes:
    """Evaluate ``getattr(value, name)``."""
    match value:
        case Known():
            yield from _known_attribute(frame, node, state, value, name)
        case TensorValue():
            yield from _tensor_attribute(frame, node, state, value, value.fake, name)
        case Reference():
            yield from _cell_attribute(frame, node, state, value, name)
        case TupleValue():
            yield from _tuple_attribute(frame, node, state, value, name)
        case SuperValue():
            yield from _super_attribute(frame, node, state, value, name)
        case ScalarValue() | HostValue():
            yield from _host_attribute(frame, node, state, value, name)
        case FunctionValue() if name in ("__name__", "__qualname__"):
            yield state, Known(value.source.name.rpartition(".")[2])
        case Poison():
            raise UsedPoison
        case (
            FunctionValue()
            | MethodValue()
            | SliceValue()
            | IteratorValue()
            | ViewValue()
            | RunTimeRange()
        ):
            frame.refuse("DYCL039", node, f"attribute {name!r} of this object is not supported")


def _known_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: Known, name: str
) -> Outcomes:
    content = value.value
    key = (id(content), name)
    if key in state.attributes:
        frame.run.effects += 1  # the result is not that of the module as it is stored
        yield state, state.attributes[key]
        return
    if isinstance(content, torch.Tensor):
        yield from _tensor_attribute(frame, node, state, value, content, name)
        return
    if not isinstance(content, type | types.ModuleType):
        computed = _computed_attribute(frame, node, state, value, type(content), name)
        if computed is not None:
            yield from computed
            return
    if isinstance(content, deque | set | OrderedDict) and name in CHANGING:
        keep_object(frame.run, content)
    elif isinstance(content, list | dict | str) and callable(getattr(content, name, None)):
        yield state, MethodValue(value, name)
        return
    if not isinstance(content, type | types.ModuleType):
        _check_table(frame, node, name)
        note_read(frame.run, content, name, frame.origin(node))
    try:
        found = getattr(content, name)
    except AttributeError as error:
        frame.run.raise_known(state, error)
        return
    path = None if value.path is None else f"{value.path}.{name}"
    yield state, resident(frame.run, state, Known(found, path))


def _check_table(frame: Frame, node: cst.CSTNode, name: str) -> None:
    """Refuse tables of attributes, which would show them as they were at compile time."""
    if name == "__dict__":
        frame.refuse("DYCL039", node, "__dict__ of an object made before the call")
    if name in ("_buffers", "_parameters") and frame.run.plan.keeps_tensors:
        frame.refuse("DYCL067", node, f"{name} is read of a model whose tensors change")


def _computed_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, kind: type, name: str
) -> Outcomes | None:
    """Return the outcomes of a user's property, method or ``__getattr__``; None for data."""
    found = inspect.getattr_static(kind, name, _MISSING)
    match found:
        case property() if found.fget is not None and not is_library(found.fget.__module__):
            return call_value(frame, node, state, Known(found.fget), [value], {})
        case functools.cached_property() if isinstance(value, Known) and name not in vars(
            value.value
        ):
            return call_value(frame, node, state, Known(found.func), [value], {})
        case types.FunctionType() if not _in_instance(value, name):
            return iter([(state, MethodValue(value, Known(found)))])
    if found is _MISSING and not _in_instance(value, name):
        fallback = user_method(kind, "__getattr__")
        library_finds = isinstance(value, Known) and _library_has(value.value, name)
        if fallback is not None and not library_finds:
            return call_value(frame, node, state, Known(fallback), [value, Known(name)], {})
    return None


def _in_instance(value: Value, name: str) -> bool:
    return isinstance(value, Known) and name in getattr(value.value, "__dict__", {})


def _library_has(content: object, name: str) -> bool:
    if isinstance(content, torch.nn.Module):
        return any(
            name in table for table in (content._parameters, content._buffers, content._modules)
        )
    return False


def _tensor_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, tensor: torch.Tensor, name: str
) -> Outcomes:
    found = inspect.getattr_static(torch.Tensor, name, _MISSING)
    if found is _MISSING:
        error = AttributeError(f"'Tensor' object has no attribute '{name}'")
        frame.run.raise_known(state, error)
    elif name == "requires_grad" and (
        isinstance(value, Known)
        or (isinstance(value, TensorValue) and value.name in frame.run.gradless)
    ):
        yield state, Known(isinstance(value, Known) and tensor.requires_grad)
    elif name in ("grad", "grad_fn", "is_leaf", "requires_grad", "_version", "data_ptr", "storage"):
        frame.refuse("DYCL042", node, f"Tensor.{name} has no meaning outside PyTorch's autograd")
    elif name == "device" or (name.startswith("is_") and not callable(found)):
        yield state, Known(getattr(tensor, name))
    elif callable(found) and not isinstance(found, property):
        yield state, MethodValue(value, name)
    else:
        expression = ast.Attribute(value=render(frame.run, state, value), attr=name, ctx=ast.Load())
        yield from evaluate_operation(
            Operation(
                frame,
                node,
                state,
                lambda operand: getattr(operand, name),
                (value,),
                {},
                expression,
                description=f"Tensor.{name}",
            )
        )


def _tuple_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: TupleValue, name: str
) -> Outcomes:
    names = getattr(value.kind, "_fields", None) or getattr(value.kind, "__match_args__", None)
    fields: tuple[str, ...] = names or ()
    if name in fields:
        yield state, value.items[fields.index(name)]
        return
    computed = _computed_attribute(frame, node, state, value, value.kind, name)
    if computed is not None:
        yield from computed
    elif hasattr(value.kind, name):
        yield state, MethodValue(value, name)
    else:
        error = AttributeError(f"'{value.kind.__name__}' object has no attribute '{name}'")
        frame.run.raise_known(state, error)


def _cell_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: Reference, name: str
) -> Outcomes:
    match state.heap[value.identity]:
        case RunTimeCell() as cell if isinstance(cell.type, RecordType) and cell.kind is not dict:
            yield from _record_attribute(frame, node, state, value, cell, cell.type, name)
        case ListCell() | DictCell() as cell if not is_library(cell.kind.__module__):
            yield from _own_container_attribute(frame, node, state, value, cell.kind, name)
        case ListCell() | DictCell() | SetCell() | RunTimeCell() as container:
            if hasattr(container.kind, name):
                yield state, MethodValue(value, name)
            else:
                error = AttributeError(
                    f"'{container.kind.__name__}' object has no attribute '{name}'"
                )
                frame.run.raise_known(state, error)
        case ObjectCell() as cell:
            yield from _instance_attribute(frame, node, state, value, cell, name)
        case IteratorCell():
            frame.refuse("DYCL039", node, f"attribute {name!r} of an iterator is not supported")


def _own_container_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: Reference, kind: type, name: str
) -> Outcomes:
    """Evaluate an attribute of an instance of the user's class of lists or dicts."""
    found = inspect.getattr_static(kind, name, _MISSING)
    builtin = isinstance(found, types.MethodDescriptorType | types.WrapperDescriptorType)
    if name == "__class__":
        yield state, Known(kind)
    elif builtin and getattr(found, "__name__", name) == name:
        yield state, MethodValue(value, name)
    elif (bound := None if builtin else _bound(value, kind, found)) is not None and (
        not hasattr(type(found), "__get__") or isinstance(bound, MethodValue) or callable(found)
    ):
        yield state, bound
    elif (computed := _computed_attribute(frame, node, state, value, kind, name)) is not None:
        yield from computed
    elif found is _MISSING and is_of_dict(
        inherited := inspect.getattr_static(kind, "__getattr__", None)
    ):
        yield from call_value(frame, node, state, Known(inherited), [value, Known(name)], {})
    elif found is _MISSING and not hasattr(kind, "__getattr__"):
        error = AttributeError(f"'{kind.__name__}' object has no attribute '{name}'")
        frame.run.raise_known(state, error)
    else:
        frame.refuse("DYCL039", node, f"attribute {name!r} of an instance of {kind.__name__}")


def _instance_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: Reference, cell: ObjectCell, name: str
) -> Outcomes:
    found = inspect.getattr_static(cell.kind, name, _MISSING)
    if isinstance(found, property) and found.fget is not None:
        yield from call_value(frame, node, state, Known(found.fget), [value], {})
    elif name in cell.attributes:
        _require_usable(frame, node, frame.run.argument_objects.ask(value.identity, name))
        yield state, cell.attributes[name]
    elif isinstance(found, functools.cached_property):
        yield from _cached(frame, node, state, value, found, name)
    elif name == "__class__":
        yield state, Known(cell.kind)
    elif name in ("__cause__", "__context__", "__traceback__"):
        frame.refuse("DYCL039", node, f"{name} of an exception is not kept")
    elif name == "__dict__":
        _require_usable(frame, node, frame.run.argument_objects.ask_for_all(value.identity))
        made = frame.run.allocate(state, DictCell(dict(cell.attributes)))
        frame.run.lasting_cells.add(made.identity)  # a copy: what is written into it is lost
        yield state, made
    elif (bound := _bound(value, cell.kind, found)) is not None:
        yield state, bound
    else:
        frame.run.argument_objects.miss(value.identity, name)
        computed = _computed_attribute(frame, node, state, value, cell.kind, name)
        if computed is not None:
            yield from computed
            return
        error = AttributeError(f"'{cell.kind.__name__}' object has no attribute '{name}'")
        frame.run.raise_known(state, error)


def _record_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: Reference, cell: RunTimeCell,
    given: RecordType, name: str,
) -> Outcomes:  # fmt: skip
    """Evaluate an attribute of an object in a run-time container."""
    found = inspect.getattr_static(cell.kind, name, _MISSING)
    kinds = dict(given.fields)
    if isinstance(found, property) and found.fget is not None:
        yield from call_value(frame, node, state, Known(found.fget), [value], {})
    elif name in kinds:
        yield from field_of(frame, node, state, cell, name, kinds[name])
    elif name == "__class__":
        yield state, Known(cell.kind)
    elif (bound := _bound(value, cell.kind, found)) is not None:
        yield state, bound
    else:
        frame.refuse("DYCL073", node, f"attribute {name!r} of an object in a run-time container")


def _require_usable(frame: Frame, node: cst.CSTNode, reason: str | None) -> None:
    if reason is not None:
        frame.refuse("DYCL072", node, reason, "pass its tensors and numbers")


def _cached(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    value: Reference,
    found: "functools.cached_property[object]",
    name: str,
) -> Outcomes:
    for after, result in call_value(frame, node, state, Known(found.func), [value], {}):
        cell = after.cell(value, ObjectCell)
        attributes = {**cell.attributes, name: result}
        frame.run.update(after, value, ObjectCell(cell.kind, attributes))
        yield after, result


def _host_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: ScalarValue | HostValue, name: str
) -> Outcomes:
    if isinstance(value, HostValue) and isinstance(value.sample, ObjectSample):
        yield from _argument_attribute(frame, node, state, value, value.sample.facts, name)
    else:
        yield from host_attribute(frame, node, state, value, name)


def _argument_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: HostValue, facts: ClassFacts, name: str
) -> Outcomes:
    """Evaluate an attribute of an object whose structure is known only at run time."""
    found = inspect.getattr_static(facts.kind, name, _MISSING)
    if isinstance(found, property) and found.fget is not None:
        yield from call_value(frame, node, state, Known(found.fget), [value], {})
    elif name in facts.attributes:
        yield from read_attribute(frame, node, state, value, name)
    elif name == "__class__":
        yield state, Known(facts.kind)
    elif name == "__dict__" or isinstance(found, functools.cached_property):
        frame.refuse("DYCL072", node, f"{name} of an argument is not supported")
    elif (bound := _bound(value, facts.kind, found)) is not None:
        yield state, bound
    elif (fallback := user_method(facts.kind, "__getattr__")) is not None:
        yield from call_value(frame, node, state, Known(fallback), [value, Known(name)], {})
    else:
        missing_attribute(frame, state, value, name)


def _bound(value: Reference | HostValue, kind: type, found: object) -> Value | None:
    """Return a class's attribute as its instance sees it, None where it is computed."""
    match found:
        case types.FunctionType():
            return MethodValue(value, Known(found))
        case staticmethod():
            return Known(found.__func__)
        case classmethod():
            return MethodValue(Known(kind), Known(found.__func__))
        case _ if found is not _MISSING and not callable(found):
            return Known(found)
        case _:
            return None


def _super_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: SuperValue, name: str
) -> Outcomes:
    kind = class_of(state, value.receiver)
    if kind is None:
        frame.refuse("DYCL039", node, "super() of this object is not supported")
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
