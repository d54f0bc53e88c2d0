"""Methods called by name: of tensors, lists, dicts, strings and host values."""

import ast

import libcst as cst
import torch

from rewriter.evaluation.calls import call_value
from rewriter.evaluation.containers import adopt, describe, mapping_items
from rewriter.evaluation.dict_methods import dict_method
from rewriter.evaluation.host_objects import call_host_method
from rewriter.evaluation.host_tensors import array_of, as_tensor_operands, list_of
from rewriter.evaluation.leaf import Operation
from rewriter.evaluation.library_calls import call_library
from rewriter.evaluation.list_methods import count_of, index_of, list_method
from rewriter.evaluation.rendering import NotMaterial, call_expression, known_object, render
from rewriter.evaluation.run import Frame, Outcomes, UsedPoison
from rewriter.evaluation.runtime_lists import runtime_list_method
from rewriter.evaluation.set_methods import set_method
from rewriter.evaluation.strings import string_method
from rewriter.evaluation.truth import item_of
from rewriter.state import State
from rewriter.values import (
    DictCell,
    HostValue,
    Known,
    ListCell,
    Poison,
    Reference,
    RunTimeListCell,
    ScalarValue,
    SetCell,
    TensorValue,
    TupleValue,
    Value,
)

_SAME_DEVICE = frozenset({"cpu"})
_REFUSED = {
    "backward": "training is not compiled",
    "register_hook": "hooks on tensors are not supported",
    "data_ptr": "memory addresses are not kept",
    "share_memory_": "memory is not shared",
    "resize_": "resizing in place is not supported",
    "resize_as_": "resizing in place is not supported",
    "set_": "changing the storage is not supported",
    "apply_": "Python functions over elements are not supported",
    "map_": "Python functions over elements are not supported",
}


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
    match receiver:
        case TensorValue():
            return tensor_method(frame, node, state, receiver, name, positional, keywords)
        case Known() if isinstance(receiver.value, torch.Tensor):
            return tensor_method(frame, node, state, receiver, name, positional, keywords)
        case Reference():
            match state.heap[receiver.identity]:
                case ListCell() as cell:
                    return list_method(
                        frame, node, state, receiver, cell, name, positional, keywords
                    )
                case DictCell() as cell:
                    return dict_method(
                        frame, node, state, receiver, cell, name, positional, keywords
                    )
                case RunTimeListCell() as cell:
                    return runtime_list_method(frame, node, state, receiver, cell, name, positional)
                case SetCell() as cell:
                    return set_method(frame, node, state, receiver, cell, name, positional)
        case ScalarValue() | HostValue():
            return call_host_method(frame, node, state, receiver, name, positional, keywords)
        case TupleValue():
            return _tuple_method(frame, node, state, receiver, name, positional)
        case Known():
            return _known_method(frame, node, state, receiver, name, positional, keywords)
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
    content = receiver.value
    if isinstance(content, str) and name in ("join", "format"):
        yield from string_method(frame, node, state, content, name, positional, keywords)
        return
    if isinstance(content, list | dict):
        yield from _known_container(frame, node, state, receiver, name, positional, keywords)
        return

    yield from call_library(frame, node, state, Known(getattr(content, name)), positional, keywords)


_CHANGING = frozenset(
    {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update",
     "setdefault", "popitem", "__setitem__", "__delitem__", "__iadd__"}
)  # fmt: skip


def _known_container(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Known,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    content = receiver.value
    assert isinstance(content, list | dict)
    if name in _CHANGING:
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
    if None in knowns or None in named.values():
        frame.refuse("DYCL039", node, f"{name}() with a run-time argument is not supported")
    try:
        result = getattr(content, name)(
            *(k.value for k in knowns if k), **{n: k.value for n, k in named.items() if k}
        )
    except Exception as error:
        frame.run.raise_known(state, error)
        return
    yield state, adopt(frame.run, state, result)


def _tuple_method(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: TupleValue,
    name: str,
    positional: list[Value],
) -> Outcomes:

    match name:
        case "index":
            yield from index_of(frame, node, state, receiver.items, positional[0])
        case "count":
            yield from count_of(frame, node, state, receiver.items, positional[0])
        case "_asdict":
            fields = receiver.kind._fields  # type: ignore[attr-defined]
            items = dict(zip(fields, receiver.items, strict=True))
            yield state, frame.run.allocate(state, DictCell(items))
        case _:
            frame.refuse("DYCL039", node, f"tuple method {name!r} is not supported")


# --- tensors ---------------------------------------------------------------------------------


def tensor_method(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: TensorValue | Known,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Evaluate a method of a tensor."""
    if name in _REFUSED:
        frame.refuse("DYCL042", node, f"Tensor.{name}: {_REFUSED[name]}")
    host = _to_host(frame, node, state, receiver, name, positional)
    if host is not None:
        yield from host
        return
    if name in ("cpu", "cuda") or _moves_device(state, name, positional, keywords):
        if name == "cuda" or _is_cuda(state, positional, keywords):
            frame.run.note(
                frame.origin(node), f"{name}() to a GPU is ignored: compiled for the CPU"
            )
        yield state, receiver
        return
    if name in ("requires_grad_", "retain_grad"):
        yield state, receiver
        return

    operands = as_tensor_operands(frame, node, state, (receiver, *positional))
    try:
        expression = call_expression(
            ast.Attribute(value=render(frame.run, state, receiver), attr=name, ctx=ast.Load()),
            [render(frame.run, state, value) for value in operands[1:]],
            {key: render(frame.run, state, value) for key, value in keywords.items()},
        )
    except NotMaterial as error:
        frame.refuse("DYCL030", node, f"{error.reason} is passed to Tensor.{name}")
    yield from Operation(
        frame,
        node,
        state,
        lambda operand, *rest, **named: getattr(operand, name)(*rest, **named),
        operands,
        keywords,
        expression,
        description=f"Tensor.{name}",
    ).evaluate()


def _moves_device(
    state: State, name: str, positional: list[Value], keywords: dict[str, Value]
) -> bool:
    """Return whether ``x.to(...)`` only names a device."""
    if name != "to" or len(positional) + len(keywords) != 1:
        return False
    (value,) = (*positional, *keywords.values())
    known = known_object(state, value)
    if known is None:
        return False
    return isinstance(known.value, torch.device) or (
        isinstance(known.value, str | int) and not isinstance(known.value, bool)
    )


def _is_cuda(state: State, positional: list[Value], keywords: dict[str, Value]) -> bool:
    return any(
        known is not None and not str(known.value).startswith(("cpu", "meta"))
        for known in (known_object(state, value) for value in (*positional, *keywords.values()))
    )


def _to_host(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: TensorValue | Known,
    name: str,
    positional: list[Value],
) -> Outcomes | None:
    """Return the outcomes of the methods that leave the world of tensors."""
    if name not in ("item", "tolist", "numpy", "__bool__", "__int__", "__float__", "__array__"):
        return None
    if isinstance(receiver, Known):
        content = receiver.value
        assert isinstance(content, torch.Tensor)
        made = getattr(content.detach(), name)()
        return iter([(state, adopt(frame.run, state, made))])
    if name == "item":
        return item_of(frame, node, state, receiver)
    if name in ("__int__", "__float__", "__bool__"):
        kind = {"__int__": int, "__float__": float, "__bool__": bool}[name]
        return call_value(frame, node, state, Known(kind), [receiver], {})

    if name == "tolist":
        return list_of(frame, node, state, receiver)
    return array_of(frame, node, state, receiver)
