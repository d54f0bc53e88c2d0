"""``sorted``, ``list.sort``, ``min`` and ``max`` over what exists at run time only."""

import ast
import operator
from collections.abc import Callable, Iterator

import libcst as cst

from rewriter.evaluation.builtin_functions.comparing_functions import (
    comparison_of,
    sort_in_place_by,
    sorted_by,
)
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.host.host_iterators import refuse_any_order
from rewriter.evaluation.host.host_statements import host_effect
from rewriter.evaluation.instances.generated_methods import ordering_names
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.rendering import call_expression, name_expression, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.comparable import has_distinct_keys, host_orders
from rewriter.evaluation.run_time.run_time_iterables import host_iterable
from rewriter.evaluation.run_time.run_time_objects import (
    changeable,
    length_of,
    made,
    run_time_cell,
    taken,
)
from rewriter.evaluation.run_time.run_time_sequences import sequence_item
from rewriter.host_type_relations import decided
from rewriter.host_types import HostType, MappingType, NumberType, RecordType, SequenceType
from rewriter.prelude import ordering
from rewriter.state import State
from rewriter.values import NONE, IteratorValue, Known, MethodValue, Reference, RunTimeCell, Value


def _is_plain(key: Value | None) -> bool:
    return key is None or (isinstance(key, Known) and key.value is None)


def _refuse_ties(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, keywords: dict[str, Value]
) -> None:
    """Refuse a set of any order whose elements may be equal by a key: the first one counts."""
    cell = run_time_cell(state, value)
    if cell is not None and not _is_plain(keywords.get("key")):
        refuse_any_order(frame, node, cell.type)


def listed_on_host(
    frame: Frame, node: cst.CSTNode, state: State, value: Value
) -> list[tuple[State, Reference, HostType]]:
    """Return states with a new list of what an iterable gives."""
    found = []
    for after, expression, element in host_iterable(frame, node, state, value):
        whole = call_expression(frame.run.builder.reference(list, "list"), [expression])
        found.append((after, made(frame, node, after, whole, SequenceType(element)), element))
    return found


def sorted_on_host(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, keywords: dict[str, Value]
) -> Outcomes:
    """Evaluate ``sorted(items, key=, reverse=)`` of run-time items."""
    _refuse_ties(frame, node, state, value, keywords)
    distinct = has_distinct_keys(state, value)
    for after, items, element in listed_on_host(frame, node, state, value):
        is_ordered = distinct or host_orders(element)
        yield from _sorted_list(frame, node, after, items, element, keywords, is_ordered)


def _sorted_list(
    frame: Frame, node: cst.CSTNode, state: State, items: Reference, element: HostType,
    keywords: dict[str, Value], is_ordered: bool,
) -> Outcomes:  # fmt: skip
    key, reverse = keywords.get("key"), keywords.get("reverse", Known(False))
    compare = comparison_of(state, key)
    if compare is not None:
        yield from sorted_by(frame, node, state, items, compare, keywords)
        return
    direct = _key_of_class(frame, element) if _is_plain(key) else None
    direct = direct or _host_key(frame, state, key)
    if _is_plain(key) and direct is None and not is_ordered:
        yield from _done(frame, node, state, ordering.sort, [items, reverse], items)
        return
    if _is_plain(key) or direct is not None:
        arguments = {} if direct is None else {"key": direct}
        if not _is_false(reverse):
            arguments["reverse"] = render(frame.run, state, reverse)
        function = frame.run.builder.reference(sorted, "sorted")
        whole = call_expression(function, [render(frame.run, state, items)], arguments)
        yield state, made(frame, node, state, whole, SequenceType(element))
        return
    # A loop that calls the function: a real cycle.
    from rewriter.evaluation.run_time.run_time_consumers import mapped

    assert key is not None
    for after, keys, key_kind in mapped(frame, node, state, key, items):
        if host_orders(key_kind):
            yield after, ordered_by(frame, node, after, items, element, keys, reverse)
        else:
            given = [keys, items, reverse]
            yield from _done(frame, node, after, ordering.sort_by, given, items)


def _done(
    frame: Frame, node: cst.CSTNode, state: State, function: Callable[..., object],
    arguments: list[Value], result: Value,
) -> Outcomes:  # fmt: skip
    """Call a function of the prelude for what it does to a list; give the list."""
    for after, _ in call_value(frame, node, state, Known(function), arguments, {}):
        yield after, result


def ordered_by(
    frame: Frame, node: cst.CSTNode, state: State, items: Value, element: HostType, keys: Value,
    reverse: Value,
) -> Reference:  # fmt: skip
    """Return a new list of items in the order of their keys, as stable as Python's."""
    size = length_of(frame, node, state, items)
    places = call_expression(
        frame.run.builder.reference(range, "range"), [render(frame.run, state, size)]
    )
    arguments = {"key": _getter(frame, state, keys)}
    if not _is_false(reverse):
        arguments["reverse"] = render(frame.run, state, reverse)
    function = frame.run.builder.reference(sorted, "sorted")
    order = call_expression(function, [places], arguments)
    chosen = call_expression(
        frame.run.builder.reference(map, "map"), [_getter(frame, state, items), order]
    )
    whole = call_expression(frame.run.builder.reference(list, "list"), [chosen])
    return made(frame, node, state, whole, SequenceType(element))


def _host_key(frame: Frame, state: State, key: Value | None) -> ast.expr | None:
    """Return a key function that the host has itself: ``len``, or ``table.get``."""
    if isinstance(key, Known) and key.value is len:
        return frame.run.builder.reference(len, "len")
    if isinstance(key, MethodValue) and key.function in ("get", "__getitem__"):
        cell = run_time_cell(state, key.receiver)
        if cell is not None and isinstance(cell.type, MappingType):
            assert isinstance(key.function, str)
            return ast.Attribute(
                value=name_expression(cell.name), attr=key.function, ctx=ast.Load()
            )
    return None


def _key_of_class(frame: Frame, element: HostType) -> ast.expr | None:
    """Return what a dataclass with an order is ordered by, None for other elements."""
    record = decided(element)
    names = ordering_names(record.kind) if isinstance(record, RecordType) else None
    if not isinstance(record, RecordType) or not names:
        return None
    if not all(host_orders(given) for name, given in record.fields if name in names):
        return None
    getter = frame.run.builder.reference(operator.itemgetter, "operator.itemgetter")
    return call_expression(getter, [ast.Constant(value=name) for name in names])


def _is_false(value: Value) -> bool:
    return isinstance(value, Known) and value.value is False


def _getter(frame: Frame, state: State, items: Value) -> ast.expr:
    return ast.Attribute(value=render(frame.run, state, items), attr="__getitem__", ctx=ast.Load())


def sort_in_place(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, keywords: dict[str, Value]
) -> Outcomes:
    """Evaluate ``items.sort(key=, reverse=)``."""
    changeable(frame, node, receiver)
    compare = comparison_of(state, keywords.get("key"))
    if compare is not None:
        yield from sort_in_place_by(frame, node, state, receiver, compare, keywords)
        return
    kind = state.cell(receiver, RunTimeCell).type
    assert isinstance(kind, SequenceType)
    by_class = _is_plain(keywords.get("key")) and not host_orders(kind.element)
    if by_class and _key_of_class(frame, kind.element) is None:
        given = [receiver, keywords.get("reverse", Known(False))]
        yield from call_value(frame, node, state, Known(ordering.sort_in_place), given, {})
        return
    with frame.run.containers.unchanged(receiver):
        outcomes = list(sorted_on_host(frame, node, state, receiver, keywords))
    for after, ordered in outcomes:
        cell = after.cell(receiver, RunTimeCell)
        method = ast.Attribute(value=name_expression(cell.name), attr="__setitem__", ctx=ast.Load())
        everything = call_expression(
            ast.Name(id="slice", ctx=ast.Load()), [ast.Constant(value=None)]
        )
        call = call_expression(method, [everything, render(frame.run, after, ordered)])
        host_effect(frame.run, after, call, frame.origin(node), may_raise=False)
        yield after, NONE


def extreme_on_host(
    frame: Frame, node: cst.CSTNode, state: State, name: str, value: Value,
    keywords: dict[str, Value],
) -> Outcomes:  # fmt: skip
    """Evaluate ``min`` and ``max`` of run-time items."""
    key = keywords.get("key")
    if isinstance(value, IteratorValue) and key is not None and not _is_plain(key):
        yield from _extreme_of_iterator(frame, node, state, name, value, key, keywords)
        return
    _refuse_ties(frame, node, state, value, keywords)
    for after, items, element in listed_on_host(frame, node, state, value):
        for arm, default in _where_filled(frame, node, after, items, keywords):
            if default is not None:
                yield arm, default
            else:
                yield from _extreme(frame, node, arm, name, items, element, key)


def _extreme_of_iterator(
    frame: Frame, node: cst.CSTNode, state: State, name: str, iterator: IteratorValue, key: Value,
    keywords: dict[str, Value],
) -> Outcomes:  # fmt: skip
    """Find the keys as Python does: each before the next item is asked for."""
    # A loop that calls the function: a real cycle.
    from rewriter.evaluation.run_time.run_time_consumers import keyed

    for after, items, keys, key_kind in keyed(frame, node, state, key, iterator):
        for arm, default in _where_filled(frame, node, after, items, keywords):
            if default is not None:
                yield arm, default
            else:
                yield from _by_keys(frame, node, arm, name, items, keys, key_kind)


def _where_filled(
    frame: Frame, node: cst.CSTNode, state: State, items: Reference, keywords: dict[str, Value]
) -> Iterator[tuple[State, Value | None]]:
    """Yield the default where a list is empty, None where there is something, or no default."""
    if "default" not in keywords:
        yield state, None
        return
    for arm, filled in truths(frame, node, state, length_of(frame, node, state, items)):
        yield arm, None if filled else keywords["default"]


def _extreme(
    frame: Frame, node: cst.CSTNode, state: State, name: str, items: Reference, element: HostType,
    key: Value | None,
) -> Outcomes:  # fmt: skip
    function = frame.run.builder.reference({"min": min, "max": max}[name], name)
    direct = _key_of_class(frame, element) if _is_plain(key) else None
    direct = direct or _host_key(frame, state, key)
    if _is_plain(key) and direct is None and not host_orders(element):
        yield from _in_code(frame, node, state, name, items, items)
        return
    if _is_plain(key) or direct is not None:
        arguments = {} if direct is None else {"key": direct}
        best = call_expression(function, [render(frame.run, state, items)], arguments)
        yield from taken(frame, node, state, best, element)
        return
    # A loop that calls the function: a real cycle.
    from rewriter.evaluation.run_time.run_time_consumers import mapped

    assert key is not None
    for after, keys, key_kind in mapped(frame, node, state, key, items):
        yield from _by_keys(frame, node, after, name, items, keys, key_kind)


def _by_keys(
    frame: Frame, node: cst.CSTNode, state: State, name: str, items: Reference, keys: Reference,
    key_kind: HostType,
) -> Outcomes:  # fmt: skip
    if not host_orders(key_kind):
        yield from _in_code(frame, node, state, name, items, keys)
        return
    function = frame.run.builder.reference({"min": min, "max": max}[name], name)
    size = length_of(frame, node, state, items)
    places = call_expression(
        frame.run.builder.reference(range, "range"), [render(frame.run, state, size)]
    )
    # range() arg is an empty sequence, says Python, whatever the items are called.
    best = call_expression(function, [places], {"key": _getter(frame, state, keys)})
    for done, place in taken(frame, node, state, best, NumberType(int)):
        cell = done.cell(items, RunTimeCell)
        assert isinstance(cell.type, SequenceType)
        yield from sequence_item(frame, node, done, cell, cell.type, place)


def _in_code(
    frame: Frame, node: cst.CSTNode, state: State, name: str, items: Reference, keys: Reference
) -> Outcomes:
    """Find the smallest or largest by keys that the host cannot compare."""
    best = {"min": ordering.smallest, "max": ordering.largest}[name]
    error = ValueError(f"{name}() arg is an empty sequence")
    for after, filled in truths(frame, node, state, length_of(frame, node, state, items)):
        if filled:
            yield from call_value(frame, node, after, Known(best), [items, keys], {})
        else:
            frame.run.raise_known(after, error)
