"""Methods called by name: of tensors, lists, dicts, strings and host values."""

import math
import operator
from collections.abc import Callable

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.library import READING
from rewriter.evaluation.calls.library_calls import call_library
from rewriter.evaluation.containers import searching
from rewriter.evaluation.containers.containers import adopt, containers_in, describe, mapping_items
from rewriter.evaluation.containers.dict_methods import dict_method
from rewriter.evaluation.containers.list_methods import list_method
from rewriter.evaluation.containers.methods_of_sets import method_of_set
from rewriter.evaluation.containers.searching import searched_for, searched_tuple
from rewriter.evaluation.host.host_objects import call_host_method
from rewriter.evaluation.instances.inherited_methods import inherited_special
from rewriter.evaluation.instances.known_attributes import CHANGING
from rewriter.evaluation.instances.method_arguments import by_place, misfit
from rewriter.evaluation.instances.named_tuples import named_tuple_method
from rewriter.evaluation.instances.user_classes import method_of
from rewriter.evaluation.refusals import UsedPoison
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_methods import run_time_method
from rewriter.evaluation.tensors.items_by_name import item_function
from rewriter.evaluation.tensors.tensor_methods import tensor_method
from rewriter.evaluation.text.string_methods import plain_text, string_method
from rewriter.evaluation.text.text_formatting import exception_text
from rewriter.keeping.filling import put_by_method, put_last
from rewriter.keeping.noting import keep_object
from rewriter.keeping.tables import note_filled
from rewriter.state import State
from rewriter.values import (
    NONE,
    DictCell,
    HostValue,
    IteratorCell,
    IteratorValue,
    Known,
    ListCell,
    ObjectCell,
    Poison,
    Reference,
    RunTimeCell,
    RunTimeRange,
    ScalarValue,
    SetCell,
    TensorValue,
    TupleValue,
    Value,
    ViewValue,
)


def call_named_method(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Value,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Evaluate ``receiver.name(arguments)``."""
    if any(isinstance(v, Poison) for v in (receiver, *positional, *keywords.values())):
        raise UsedPoison
    error = misfit(state, receiver, name, positional, keywords)
    if error is not None:
        frame.run.raise_known(state, error)
        return iter(())
    positional, keywords = by_place(state, receiver, name, positional, keywords)
    misfits = bool(keywords) or (bool(positional) and name in BY_BUILTINS)
    builtin = None if misfits else _asking(state, receiver, name, positional)
    if builtin is not None:
        return call_value(frame, node, state, Known(builtin), [receiver, *positional], {})
    match receiver:
        case TensorValue():
            return tensor_method(frame, node, state, receiver, name, positional, keywords)
        case Known() if isinstance(receiver.value, torch.Tensor):
            return tensor_method(frame, node, state, receiver, name, positional, keywords)
        case Reference():
            return _cell_method(frame, node, state, receiver, name, positional, keywords)
        case ScalarValue() | HostValue():
            return call_host_method(frame, node, state, receiver, name, positional, keywords)
        case TupleValue():
            return _tuple_method(frame, node, state, receiver, name, positional, keywords)
        case Known():
            return _known_method(frame, node, state, receiver, name, positional, keywords)
        case _:
            frame.refuse("DYCL039", node, f"method {name!r} of {describe(state, receiver)}")


BY_BUILTINS: dict[str, Callable[..., object]] = {
    "__iter__": iter,
    "__len__": len,
    "__next__": next,
    "__reversed__": reversed,
}
"""Methods that are written as calls of builtin functions."""
_BY_OPERATORS: dict[str, Callable[..., object]] = {
    "__contains__": operator.contains,
    "__getitem__": operator.getitem,
}
"""The same for containers of the host."""


def _asking(
    state: State, receiver: Value, name: str, positional: list[Value]
) -> Callable[..., object] | None:
    """Return the function that asks a container or iterator for a method, if one does.

    Not where its class has a method of its own: it was reached by ``super()``.
    """
    asked = searching.item_by_item(state, receiver, name, positional)
    if asked is not None:
        return asked
    match receiver:
        case Reference() if isinstance(state.heap[receiver.identity], ObjectCell):
            return None
        case Reference() if isinstance(state.heap[receiver.identity], RunTimeCell):
            return _BY_OPERATORS.get(name, BY_BUILTINS.get(name))
        case Known() if isinstance(receiver.value, torch.Tensor):
            return item_function(state, receiver, name, positional)
        case Reference() | TupleValue() | Known() | IteratorValue() | ViewValue() | RunTimeRange():
            own = method_of(state, receiver, name)
            return BY_BUILTINS.get(name) if own is None else None
        case _:
            return item_function(state, receiver, name, positional)


def _cell_method(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Reference,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    match state.heap[receiver.identity]:
        case ListCell() | DictCell() if name.startswith("__") and not keywords:
            return inherited_special(frame, node, state, receiver, name, positional)
        case DictCell() if name == "__init__":
            return inherited_special(frame, node, state, receiver, name, positional, keywords)
        case ListCell() as cell:
            return list_method(frame, node, state, receiver, cell, name, positional, keywords)
        case DictCell() as cell:
            return dict_method(frame, node, state, receiver, cell, name, positional, keywords)
        case RunTimeCell() as cell:
            return run_time_method(frame, node, state, receiver, cell, name, positional, keywords)
        case SetCell() as cell:
            return method_of_set(frame, node, state, receiver, cell, name, positional)
        case ObjectCell() | IteratorCell() as cell:
            return _object_method(frame, node, state, receiver, cell, name)


def _object_method(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Reference,
    cell: ObjectCell | IteratorCell,
    name: str,
) -> Outcomes:
    """Evaluate a method that an object has of a builtin class: the text of an exception."""
    if isinstance(cell, ObjectCell) and issubclass(cell.kind, BaseException) and name == "__str__":
        text = exception_text(frame, node, state, cell)
        if text is not None:
            return text
    frame.refuse("DYCL039", node, f"method {name!r} of {describe(state, receiver)}")


def _known_method(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Known,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    content = plain_text(receiver.value, name)
    if isinstance(content, str) and name in ("join", "format"):
        yield from string_method(frame, node, state, content, name, positional, keywords)
        return
    if isinstance(content, list | dict):
        yield from _known_container(
            frame, node, state, receiver, content, name, positional, keywords
        )
        return
    asked = None if keywords else searched_tuple(state, receiver, name, positional)
    if asked is not None:
        yield from _tuple_method(frame, node, state, asked, name, positional, keywords)
        return
    yield from call_library(frame, node, state, Known(getattr(content, name)), positional, keywords)


def _is_there(state: State, content: object, positional: list[Value]) -> bool:
    """Return whether a dict is known to have a key, so that ``setdefault`` leaves it as it is."""
    key = known_object(state, positional[0]) if len(positional) in (1, 2) else None
    return isinstance(content, dict) and key is not None and key.value in content


def _known_container(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Known,
    content: list[object] | dict[object, object],
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    if name == "setdefault" and _is_there(state, content, positional):
        name, positional = "get", positional[:1]
    if name in CHANGING:
        keep_object(frame.run, content)
        stored = put_by_method(state, content, name, positional, keywords)
        if note_filled(frame.run.plan, state, content, stored, frame.origin(node)):
            yield state, NONE if name != "setdefault" else Known(put_last(content))
            return
        frame.refuse(
            "DYCL034",
            node,
            f"{name}() changes a {type(content).__name__} that outlives the call",
            "copy it first",
        )
    if isinstance(content, dict) and name in ("items", "values", "keys", "get"):
        items = mapping_items(state, receiver) or {}
        yield from dict_method(
            frame, node, state, receiver, DictCell(items), name, positional, keywords
        )
        return
    knowns = [known_object(state, value) for value in positional]
    named = {key: known_object(state, value) for key, value in keywords.items()}
    if name not in READING:
        keep_object(frame.run, content)
        frame.refuse("DYCL039", node, f"{name}() of a {type(content).__name__} of the model's")
    if None in knowns or None in named.values():
        yield from searched_for(frame, node, state, receiver, name, positional, named=bool(named))
        return
    try:
        result = getattr(content, name)(
            *(k.value for k in knowns if k), **{n: k.value for n, k in named.items() if k}
        )
    except Exception as error:
        frame.run.raise_known(state, error)
        return
    yield state, adopt(frame.run, state, result, containers_in(content))


def _tuple_method(
    frame: Frame, node: cst.CSTNode, state: State, receiver: TupleValue, name: str,
    positional: list[Value], keywords: dict[str, Value],
) -> Outcomes:  # fmt: skip
    match name:
        case "index":
            wanted, *bounds = positional
            yield from searching.index_of(frame, node, state, receiver.items, wanted, bounds, tuple)
        case "count":
            yield from searching.count_of(frame, node, state, receiver.items, positional[0])
        case "numel" if receiver.kind is torch.Size and not positional:
            yield from call_value(frame, node, state, Known(math.prod), [receiver], {})
        case "_asdict" | "_replace" | "_make":
            yield from named_tuple_method(frame, node, state, receiver, name, positional, keywords)
        case _:
            frame.refuse("DYCL039", node, f"tuple method {name!r} is not supported")
