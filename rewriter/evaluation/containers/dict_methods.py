"""Methods of dicts with known keys."""

import types
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from rewriter.evaluation.containers.containers import sequence_items
from rewriter.evaluation.containers.hashed_keys import require_hashed_by_value
from rewriter.evaluation.containers.identity_keys import called_with_key, takes_own_key
from rewriter.evaluation.containers.inherited_code import merged_items, require_own
from rewriter.evaluation.containers.item_choice import chosen_value
from rewriter.evaluation.containers.ordered_dicts import ordered_method
from rewriter.evaluation.containers.user_mappings import taken_as_dict
from rewriter.evaluation.control.iteration import items_of
from rewriter.evaluation.host.host_typing import NoHostType, common_type
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_lookups import looked_up_value
from rewriter.evaluation.run_time.run_time_mappings import mapping_method
from rewriter.known_paths import is_library
from rewriter.state import State
from rewriter.values import (
    NONE,
    DictCell,
    IteratorValue,
    Known,
    Reference,
    TupleValue,
    Value,
    ViewValue,
)


def dict_method(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Value,
    cell: DictCell,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Evaluate ``receiver.name(arguments)`` of a dict."""
    require_own(frame, node, cell.kind, name)
    if (
        positional
        and name in ("get", "pop", "setdefault")
        and (known_object(state, positional[0]) is None)
    ):
        yield from _with_run_time_key(
            frame, node, state, receiver, cell, name, positional, keywords
        )
        return
    if (
        name in ("popitem", "move_to_end")
        and isinstance(receiver, Reference)
        and issubclass(cell.kind, OrderedDict)
    ):
        yield from ordered_method(frame, node, state, receiver, cell, name, positional, keywords)
        return
    yield from _plain_method(frame, node, state, receiver, cell, name, positional, keywords)


def _plain_method(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Value,
    cell: DictCell,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    match name:
        case "items" | "keys" | "values" if isinstance(receiver, Reference):
            yield state, ViewValue(receiver.identity, name)
        case "items" | "keys" | "values":
            # a dict that nobody writes to looks like its copy
            yield state, ViewValue(frame.run.allocate(state, cell).identity, name)
        case "copy" if is_library(cell.kind.__module__):
            copied = DictCell(dict(cell.items), cell.kind, cell.default_factory)
            yield state, frame.run.allocate(state, copied)
        case "copy" if not issubclass(cell.kind, OrderedDict):
            yield state, frame.run.allocate(state, DictCell(dict(cell.items)))
        case "get":
            key = known_key(frame, node, state, positional[0])
            default = positional[1] if len(positional) > 1 else NONE
            yield state, cell.items.get(key, default)
        case "pop" | "setdefault" | "update" | "clear" | "popitem" if isinstance(
            receiver, Reference
        ):
            yield from _changing(frame, node, state, receiver, cell, name, positional, keywords)
        case _:
            frame.refuse("DYCL039", node, f"dict method {name!r} is not supported")


def _with_run_time_key(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Value, cell: DictCell, name: str,
    positional: list[Value], keywords: dict[str, Value],
) -> Outcomes:  # fmt: skip
    key = positional[0]
    default = positional[1] if len(positional) > 1 else NONE
    if isinstance(receiver, Reference) and takes_own_key(state, receiver, key) and not keywords:
        yield from called_with_key(frame, node, state, receiver, name, positional)
        return
    if not cell.items and name == "get":
        yield state, default
        return
    if name == "get" and not isinstance(receiver, Reference):
        require_hashed_by_value(frame, node, key)
        looked_up = looked_up_value(frame, node, state, receiver, cell.items, key, default)
        if looked_up is not None:
            yield from looked_up
            return
    if name == "get" and not _fits_host(state, cell):
        yield from chosen_value(frame, node, state, cell.items, key, default)
    elif isinstance(receiver, Reference):
        yield from mapping_method(frame, node, state, receiver, name, positional, keywords)
    else:
        yield from chosen_value(frame, node, state, cell.items, key, default)


def _fits_host(state: State, cell: DictCell) -> bool:
    """Return whether a dict can be one of the host's."""
    try:
        common_type(state, tuple(map(Known, cell.items)))
        common_type(state, tuple(cell.items.values()))
    except NoHostType:
        return False
    return True


def _changing(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Reference,
    cell: DictCell,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    items = dict(cell.items)
    result: Value = NONE
    match name:
        case "pop":
            key = known_key(frame, node, state, positional[0])
            if key not in items and len(positional) < 2:
                frame.run.raise_known(state, KeyError(key))
                return
            result = items.pop(key) if key in items else positional[1]
        case "popitem":
            if positional or keywords:
                frame.refuse("DYCL039", node, "popitem() of a dict with arguments")
            if not items:
                frame.run.raise_known(state, KeyError("popitem(): dictionary is empty"))
                return
            last, item = items.popitem()
            result = TupleValue((Known(last), item))
        case "setdefault":
            key = known_key(frame, node, state, positional[0])
            result = items.setdefault(key, positional[1] if len(positional) > 1 else NONE)
        case "update":
            if positional and isinstance(positional[0], IteratorValue):
                yield from updated_by_items(frame, node, state, receiver, positional[0], keywords)
                return
            for after, given in items_given(frame, node, state, positional):
                present = after.heap[receiver.identity]
                assert isinstance(present, DictCell)
                items = {**present.items, **given, **keywords}
                frame.run.update(after, receiver, replace(present, items=items))
                yield after, NONE
            return
        case _:
            items = {}
    frame.run.update(state, receiver, replace(cell, items=items))
    yield state, result


def updated_by_items(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, pairs: IteratorValue,
    keywords: dict[str, Value],
) -> Outcomes:  # fmt: skip
    """Put the pairs that an iterator gives into a dict, one by one; then the named ones."""
    # Taking items sets items of containers: a real cycle.
    from rewriter.evaluation.containers.item_assignment import set_item
    from rewriter.evaluation.control.taking_items import each_item

    def take(after: State, pair: Value) -> list[State]:
        parts = sequence_items(after, pair)
        if parts is None or len(parts) != 2:
            frame.refuse("DYCL039", node, "a dict needs key-value pairs")
        return set_item(frame, node, after, receiver, *parts)

    ends = each_item(frame, node, state, pairs, receiver, take)
    for key, item in keywords.items():
        ends = [s for end in ends for s in set_item(frame, node, end, receiver, Known(key), item)]
    for end in ends:
        yield end, NONE


def items_given(
    frame: Frame, node: cst.CSTNode, state: State, positional: list[Value]
) -> Iterator[tuple[State, dict[object, Value]]]:
    """Yield the items that ``dict(...)`` and ``update(...)`` are given as an argument, if any."""
    if not positional:
        yield state, {}
        return
    for after, given in taken_as_dict(frame, node, state, positional[0]):
        mapping = merged_items(frame, node, after, given)
        yield after, pairs_of(frame, node, after, given) if mapping is None else dict(mapping)


def pairs_of(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> dict[object, Value]:
    """Return the dict of a sequence of key-value pairs."""
    made: dict[object, Value] = {}
    outcomes = list(items_of(frame, node, state, value))
    if len(outcomes) != 1:
        frame.refuse("DYCL039", node, "dict() of an object with run-time tests")
    for pair in outcomes[0][1]:
        parts = sequence_items(state, pair)
        if parts is None or len(parts) != 2:
            frame.refuse("DYCL039", node, "dict() needs key-value pairs")
        made[known_key(frame, node, state, parts[0])] = parts[1]
    return made


def known_key(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> object:
    """Return a dict key, which must be known at compile time."""
    known = known_object(state, value)
    if known is None:
        frame.refuse("DYCL051", node, "a dict key is known only at run time")
    if isinstance(known.value, types.TracebackType):
        frame.refuse("DYCL051", node, "a traceback is a key: which ones are one object is unknown")
    try:
        hash(known.value)
    except TypeError:
        frame.refuse("DYCL051", node, f"unhashable dict key: {type(known.value).__name__}")
    return known.value
