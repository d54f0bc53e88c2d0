"""Elements of containers of known structure: lists, tuples, dicts, lists of modules."""

import ast
from collections import Counter, defaultdict, deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import libcst as cst
import torch
from torch import nn

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.kinds_of_arguments import misfit_of_index
from rewriter.evaluation.containers.container_classes import has_own_missing
from rewriter.evaluation.containers.containers import (
    adopt,
    containers_in,
    describe,
    is_deque,
    is_list,
    item_path,
    mapping_items,
    sequence_items,
    tuple_kind,
    tuple_value,
)
from rewriter.evaluation.containers.dict_methods import known_key
from rewriter.evaluation.containers.identity_keys import called_with_key, takes_own_key
from rewriter.evaluation.containers.indices import class_without_items, no_item, sequence_kind
from rewriter.evaluation.containers.item_choice import choose_item, choose_value
from rewriter.evaluation.containers.module_slices import chosen_slices, holds_modules
from rewriter.evaluation.instances.user_classes import class_of, method_of
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_iterables import host_iterable
from rewriter.evaluation.run_time.run_time_mappings import mapping_item, with_any_keys
from rewriter.evaluation.run_time.run_time_objects import made as made_on_host
from rewriter.evaluation.run_time.run_time_sequences import always_cuts, host_index
from rewriter.evaluation.text.run_time_text import text_item
from rewriter.host_types import SequenceType
from rewriter.keeping.noting import keep_object
from rewriter.state import State
from rewriter.values import (
    DictCell,
    HostValue,
    Known,
    ListCell,
    MethodValue,
    Reference,
    ScalarValue,
    SliceValue,
    TensorValue,
    TupleValue,
    Value,
)

_COUNTING = (defaultdict, Counter)
_ModuleContainer = (
    nn.ModuleList | nn.Sequential | nn.ModuleDict | nn.ParameterList | nn.ParameterDict
)


def container_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, index: Value
) -> Outcomes:
    """Evaluate ``value[index]`` of a container of known structure."""
    without_items = class_without_items(value)
    if without_items is not None:
        error = TypeError(f"'{without_items}' object is not subscriptable")
        frame.run.raise_known(state, error)
        return
    if is_deque(state, value) and _is_slice(index):
        frame.run.raise_known(state, no_slice())
        return
    in_row = sequence_items(state, value) is not None or holds_modules(state, value)
    if isinstance(index, SliceValue) and in_row:
        yield from _cut(frame, node, state, value, index)
        return
    text = isinstance(value, Known) and isinstance(value.value, str)
    if text and isinstance(index, ScalarValue | SliceValue | TensorValue | HostValue):
        yield from text_item(frame, node, state, value, index)
        return
    mapping = mapping_items(state, value)
    if mapping is not None:
        yield from _mapping_item(frame, node, state, value, mapping, index)
        return
    known = known_object(state, index)
    items = sequence_items(state, value)
    if items is None and isinstance(value, Known) and isinstance(value.value, _ModuleContainer):
        yield from _module_item(frame, node, state, value, value.value, index)
    elif known is not None and items is not None:
        yield from _sequence_item(frame, state, value, items, known)
    elif known is not None:
        yield from _known_item(frame, node, state, value, known)
    elif isinstance(index, ScalarValue | TensorValue) and items is not None:
        yield from choose_item(frame, node, state, items, index, sequence_kind(value), value)
    else:
        no_item(frame, node, state, value, index)


def _sequence_item(
    frame: Frame, state: State, value: Value, items: tuple[Value, ...], index: Known
) -> Outcomes:
    try:
        chosen: Value | tuple[Value, ...] = items[list_position(index.value)]
    except (IndexError, TypeError) as error:
        frame.run.raise_known(state, _worded(error, state, value, index))
        return
    if not isinstance(chosen, tuple):
        yield state, chosen
    elif is_list(state, value):
        yield state, frame.run.allocate(state, ListCell(chosen))
    else:
        yield state, tuple_value(chosen, tuple_kind(value))


def _is_slice(index: Value) -> bool:
    return isinstance(index, SliceValue) or (
        isinstance(index, Known) and isinstance(index.value, slice)
    )


def no_slice() -> TypeError:
    """Return what Python raises where a deque is sliced."""
    return TypeError("sequence index must be integer, not 'slice'")


def list_position(index: Any) -> Any:
    """Return an index as lists take it: a 0-d tensor of an integer type is a number."""
    if isinstance(index, torch.Tensor) and index.dim() == 0 and not index.is_floating_point():
        return int(index)
    return index


def _worded(error: Exception, state: State, value: Value, index: Known) -> Exception:
    if isinstance(error, IndexError) and "cannot fit" not in str(error):
        return IndexError(f"{'list' if is_list(state, value) else 'tuple'} index out of range")
    if isinstance(error, TypeError) and class_of(state, value) is deque:
        given = type(index.value).__name__
        return TypeError(f"sequence index must be integer, not '{given}'")
    return type(error)(str(error).replace("tuple", "list") if is_list(state, value) else str(error))


def _mapping_item(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    value: Value,
    items: Mapping[object, Value],
    index: Value,
) -> Outcomes:
    if isinstance(value, Reference) and takes_own_key(state, value, index):
        yield from called_with_key(frame, node, state, value, "__getitem__", [index])
        return
    kind = class_of(state, value)
    own_missing = kind is not None and has_own_missing(kind)
    if known_object(state, index) is None and own_missing:
        frame.refuse("DYCL056", node, "a dict with its own __missing__ is given a run-time key")
    if known_object(state, index) is None:
        _require_nothing_made(frame, node, state, value)
        cell = state.heap[value.identity] if isinstance(value, Reference) else None
        by_host = isinstance(cell, DictCell) and (
            cell.kind in _COUNTING or (isinstance(index, TupleValue) and len(cell.items) > 0)
        )
        if isinstance(value, Reference) and by_host:
            with_any_keys(frame, node, state, value)
            yield from mapping_item(frame, node, state, value, index)
            return
        yield from choose_value(frame, node, state, value, items, index)
        return
    key = known_key(frame, node, state, index)
    if key in items:
        yield state, items[key]
        return
    _require_nothing_made(frame, node, state, value)
    if own_missing:
        yield from _missing(frame, node, state, value, Known(key))
        return
    factory = None
    if isinstance(value, Reference):
        factory = state.cell(value, DictCell).default_factory
    if factory is None or not isinstance(value, Reference):
        frame.run.raise_known(state, KeyError(key))
        return
    for after, made in call_value(frame, node, state, factory, [], {}):
        cell = after.cell(value, DictCell)
        frame.run.update(after, value, replace(cell, items={**cell.items, key: made}))
        yield after, made


def _require_nothing_made(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> None:
    """Let a dict of the model's be kept that makes, or counts, what it does not have."""
    known = known_object(state, value)
    content = None if known is None else known.value
    factory = content.default_factory if isinstance(content, defaultdict) else None
    if factory is not None or isinstance(content, Counter):
        keep_object(frame.run, content)
        frame.refuse(
            "DYCL056", node, "a defaultdict or Counter of the model's is asked for a key that it "
            "may have to make", "ask with .get(key, default)",
        )  # fmt: skip


def _missing(frame: Frame, node: cst.CSTNode, state: State, value: Value, key: Known) -> Outcomes:
    method = method_of(state, value, "__missing__")
    if method is None:
        frame.refuse("DYCL056", node, f"__missing__ of {describe(state, value)}")
    yield from call_value(frame, node, state, method, [key], {})


def _cut(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, index: SliceValue
) -> Outcomes:
    """Evaluate ``items[a:b]`` with bounds of run time: by the host, but for modules and sizes."""
    if holds_modules(state, value) or tuple_kind(value) is torch.Size:
        for after, chosen in chosen_slices(frame, node, state, value, index):
            yield from container_item(frame, node, after, value, chosen)
        return
    error = misfit_of_index(state, [], index)
    if error is not None:
        frame.run.raise_known(state, error)
        return
    for after, expression, element in host_iterable(frame, node, state, value):
        kind = list if is_list(after, value) else tuple
        if kind is tuple and isinstance(expression, ast.List):
            expression = ast.Tuple(elts=expression.elts, ctx=ast.Load())
        for done, position, _ in host_index(frame, node, after, index):
            part = ast.Subscript(value=expression, slice=position, ctx=ast.Load())
            given, may_raise = SequenceType(element, kind), not always_cuts(index)
            yield done, made_on_host(frame, node, done, part, given, may_raise=may_raise)


def _module_item(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    value: Known,
    content: Any,
    index: Value,
) -> Outcomes:
    known = known_object(state, index)
    if isinstance(content, nn.ParameterDict):
        yield from _parameter(frame, node, state, value, index, known)
        return
    if known is None and isinstance(content, nn.ModuleDict):
        named: dict[object, Value] = {
            key: Known(item, item_path(value.path, key)) for key, item in content.items()
        }
        yield from choose_value(frame, node, state, value, named, index)
        return
    if known is None:
        items = tuple(
            Known(item, item_path(value.path, position)) for position, item in enumerate(content)
        )
        yield from choose_item(frame, node, state, items, index, "module")
        return
    try:
        found = content[known.value]
    except Exception as error:
        frame.run.raise_known(state, error)
        return
    if isinstance(found, nn.ModuleList) and isinstance(known.value, slice):
        positions = range(len(content))[known.value]
        items = tuple(
            Known(item, item_path(value.path, position))
            for position, item in zip(positions, found, strict=True)
        )
        yield state, frame.run.allocate(state, ListCell(items))
        return
    yield state, Known(found, item_path(value.path, known.value))


def _parameter(
    frame: Frame, node: cst.CSTNode, state: State, value: Known, index: Value, known: Known | None
) -> Outcomes:
    """Evaluate ``parameters[name]``: an attribute of that name."""
    if known is not None:
        yield from _known_item(frame, node, state, value, known)
        return
    method = MethodValue(value, Known(type(value.value).__getitem__))
    yield from call_value(frame, node, state, method, [index], {})


def _known_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, index: Known
) -> Outcomes:
    if not isinstance(value, Known):
        frame.refuse("DYCL056", node, f"{describe(state, value)} cannot be indexed")
    try:
        found = value.value[index.value]
    except Exception as error:
        frame.run.raise_known(state, error)
        return
    if isinstance(value.value, type) or isinstance(found, list | dict):
        yield state, Known(found, item_path(value.path, index.value))
        return
    yield state, adopt(frame.run, state, found, containers_in(value.value))
