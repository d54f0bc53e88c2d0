"""Builtins that work on values of any binding time."""

import collections
import functools
import operator
from collections.abc import Iterator
from typing import Any

import libcst as cst
import torch

from rewriter.evaluation.calls import call_value, special
from rewriter.evaluation.containers import (
    iterator,
    mapping_items,
    sequence_items,
    tuple_value,
)
from rewriter.evaluation.dict_methods import pairs_of
from rewriter.evaluation.iteration import items_of
from rewriter.evaluation.objects import class_of, get_attribute, method_of, user_method
from rewriter.evaluation.rendering import call_expression, known_object, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.truth import item_of, truths
from rewriter.state import State
from rewriter.values import (
    NONE,
    DictCell,
    FunctionValue,
    HostValue,
    IteratorCell,
    IteratorValue,
    Known,
    ListCell,
    MethodValue,
    Reference,
    ScalarValue,
    SetCell,
    SuperValue,
    TensorValue,
    TupleValue,
    Value,
)

Positional = list[Value]
Keywords = dict[str, Value]


@special(len)
def length(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``len(x)``."""
    del keywords
    (value,) = positional
    kind = class_of(state, value)
    if kind is not None and user_method(kind, "__len__"):
        method = method_of(frame, state, value, kind, "__len__")
        yield from call_value(frame, node, state, method, [], {})
        return
    items = sequence_items(state, value)
    mapping = mapping_items(state, value) if items is None else None
    tensor = _tensor(value)
    if items is not None:
        yield state, Known(len(items))
    elif mapping is not None:
        yield state, Known(len(mapping))
    elif isinstance(value, Reference) and isinstance(
        cell := state.heap[value.identity], SetCell
    ):
        yield state, Known(len(cell.items))
    elif tensor is not None or isinstance(value, Known):
        try:
            size = len(tensor if tensor is not None else value.value)  # type: ignore[union-attr]
        except TypeError as error:
            frame.run.raise_known(state, error)
            return
        yield state, Known(size)
    elif isinstance(value, HostValue):
        if hasattr(value.sample, "shape"):
            yield state, Known(len(value.sample))  # type: ignore[arg-type]
            return
        reference = frame.run.builder.reference(len, "len")
        expression = call_expression(reference, [render(frame.run, state, value)])
        yield state, frame.run.host_scalar(state, expression, int, frame.origin(node))
    else:
        frame.refuse("DYCL039", node, "len() of this object is not supported")


def _tensor(value: Value) -> torch.Tensor | None:
    if isinstance(value, TensorValue):
        return value.fake
    return value.value if isinstance(value, Known) and isinstance(value.value, torch.Tensor) else None


@special(enumerate)
def enumerate_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``enumerate(items, start)``."""
    start = positional[1] if len(positional) > 1 else keywords.get("start", Known(0))
    if not isinstance(start, Known) or not isinstance(start.value, int):
        frame.refuse("DYCL039", node, "the start of enumerate() is known only at run time")
    for after, items in items_of(frame, node, state, positional[0]):
        pairs = tuple(
            TupleValue((Known(index), item)) for index, item in enumerate(items, start.value)
        )
        yield after, iterator(frame.run, after, pairs)


@special(zip)
def zip_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``zip(a, b)``."""
    strict = known_object(state, keywords.get("strict", Known(False)))
    for after, columns in _all_items(frame, node, state, positional):
        if strict is not None and strict.value and len({len(c) for c in columns}) > 1:
            frame.run.raise_known(after, _uneven([len(column) for column in columns]))
            continue
        rows = tuple(TupleValue(tuple(row)) for row in zip(*columns, strict=False))
        yield after, iterator(frame.run, after, rows)


def _uneven(lengths: list[int]) -> ValueError:
    """Return the error of ``zip(strict=True)``, in CPython's words."""
    at = next(i for i, length in enumerate(lengths) if length != lengths[0])
    word = "shorter" if lengths[at] < lengths[0] else "longer"
    before = "argument 1" if at == 1 else f"arguments 1-{at}"
    return ValueError(f"zip() argument {at + 1} is {word} than {before}")


def _all_items(
    frame: Frame, node: cst.CSTNode, state: State, values: list[Value]
) -> Iterator[tuple[State, list[tuple[Value, ...]]]]:
    if not values:
        yield state, []
        return
    for after, first in items_of(frame, node, state, values[0]):
        for done, rest in _all_items(frame, node, after, values[1:]):
            yield done, [first, *rest]


@special(reversed)
def reversed_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``reversed(items)``."""
    del keywords
    for after, items in items_of(frame, node, state, positional[0]):
        yield after, iterator(frame.run, after, items[::-1])


@special(iter)
def iter_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``iter(items)``."""
    del keywords
    if len(positional) != 1:
        frame.refuse("DYCL039", node, "iter() with a sentinel is not supported")
    if isinstance(positional[0], IteratorValue):
        yield state, positional[0]
        return
    for after, items in items_of(frame, node, state, positional[0]):
        yield after, iterator(frame.run, after, items)


@special(next)
def next_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``next(iterator, default)``."""
    del keywords
    source = positional[0]
    if not isinstance(source, IteratorValue):
        frame.refuse("DYCL039", node, "next() of this object is not supported")
    for after, item in _next_row(frame, state, source):
        if item is not None:
            yield after, item
        elif len(positional) > 1:
            yield after, positional[1]
        else:
            frame.run.raise_known(after, StopIteration())


def _sequence(kind: type) -> Any:
    def rule(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        if keywords or len(positional) > 1:
            frame.refuse("DYCL039", node, f"{kind.__name__}() with these arguments")
        outcomes = (
            items_of(frame, node, state, positional[0]) if positional else iter([(state, ())])
        )
        for after, items in outcomes:
            if kind is tuple:
                yield after, tuple_value(items)
            else:
                yield after, frame.run.allocate(after, ListCell(items, kind))

    return rule


for _kind in (list, tuple, collections.deque):
    special(_kind)(_sequence(_kind))


def _mapping(kind: type) -> Any:
    def rule(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        made: dict[object, Value] = {}
        if positional:
            mapping = mapping_items(state, positional[0])
            pairs = pairs_of(frame, node, state, positional[0]) if mapping is None else mapping
            made.update(pairs)
        made.update(keywords)
        yield state, frame.run.allocate(state, DictCell(made, kind))

    return rule


for _kind in (dict, collections.OrderedDict):
    special(_kind)(_mapping(_kind))


@special(functools.reduce)
def reduce_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``functools.reduce(function, items, initial)``."""
    del keywords
    function, iterable, *initial = positional
    for after, items in items_of(frame, node, state, iterable):
        every = [*initial, *items]
        if not every:
            error = TypeError("reduce() of empty iterable with no initial value")
            frame.run.raise_known(after, error)
            continue
        pending: list[tuple[State, Value]] = [(after, every[0])]
        for item in every[1:]:
            pending = [
                outcome
                for before, total in pending
                for outcome in call_value(frame, node, before, function, [total, item], {})
            ]
        yield from pending


@special(collections.defaultdict)
def defaultdict_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``defaultdict(factory)``."""
    if keywords or len(positional) > 1:
        frame.refuse("DYCL039", node, "defaultdict() with these arguments is not supported")
    factory = positional[0] if positional else None
    yield state, frame.run.allocate(state, DictCell({}, collections.defaultdict, factory))


@special(set)
def set_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``set(items)`` of values known at compile time."""
    del keywords
    for after, content in _known_elements(frame, node, state, positional):
        yield after, frame.run.allocate(after, SetCell(content))


@special(frozenset)
def frozenset_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``frozenset(items)`` of values known at compile time."""
    del keywords
    for after, content in _known_elements(frame, node, state, positional):
        yield after, Known(content)


def _known_elements(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional
) -> Iterator[tuple[State, frozenset[object]]]:
    if not positional:
        yield state, frozenset()
        return
    for after, items in items_of(frame, node, state, positional[0]):
        knowns = [known_object(after, item) for item in items]
        if None in knowns:
            frame.refuse("DYCL051", node, "an element of a set is known only at run time")
        try:
            yield after, frozenset(known.value for known in knowns if known is not None)
        except TypeError as error:
            frame.run.raise_known(after, error)


def _conversion(kind: type) -> Any:
    def rule(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        knowns = [known_object(state, value) for value in positional]
        if None not in knowns and not any(_tensor(value) is not None for value in positional):
            try:
                result = kind(*(known.value for known in knowns if known is not None))
            except Exception as error:
                frame.run.raise_known(state, error)
                return
            yield state, Known(result)
            return
        (value,) = positional
        if kind is bool and not isinstance(value, TensorValue | ScalarValue):
            for after, truth in truths(frame, node, state, value):
                yield after, Known(truth)
            return
        for after, number in _to_number(frame, node, state, value):
            yield from _converted(frame, node, after, number, kind)

    return rule


def _to_number(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Outcomes:
    match value:
        case TensorValue():
            yield from item_of(frame, node, state, value)
        case Known() if isinstance(value.value, torch.Tensor):
            yield state, Known(value.value.item())
        case ScalarValue() | HostValue() | Known():
            yield state, value
        case _:
            frame.refuse("DYCL039", node, "this object cannot be converted to a number")


def _converted(
    frame: Frame, node: cst.CSTNode, state: State, number: Value, kind: type
) -> Outcomes:
    if isinstance(number, Known):
        yield state, Known(kind(number.value))
        return
    if isinstance(number, ScalarValue) and number.type is kind:
        yield state, number
        return
    reference = frame.run.builder.reference(kind, kind.__name__)
    expression = call_expression(reference, [render(frame.run, state, number)])
    effect = kind is int
    yield state, frame.run.host_scalar(state, expression, kind, frame.origin(node), effect=effect)


for _kind in (int, float, bool):
    special(_kind)(_conversion(_kind))


@special(str)
def str_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``str(x)``."""
    del keywords
    from rewriter.evaluation.strings import format_value

    if not positional:
        yield state, Known("")
        return
    yield from format_value(frame, node, state, positional[0], Known(""), "s")


@special(repr)
def repr_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``repr(x)``."""
    del keywords
    from rewriter.evaluation.strings import format_value

    yield from format_value(frame, node, state, positional[0], Known(""), "r")


@special(format)
def format_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``format(x, spec)``."""
    del keywords
    from rewriter.evaluation.strings import format_value

    spec = positional[1] if len(positional) > 1 else Known("")
    yield from format_value(frame, node, state, positional[0], spec, None)


@special(isinstance)
def isinstance_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``isinstance(x, kinds)``."""
    del keywords
    value, kinds = positional
    known_kinds = known_object(state, kinds)
    kind = _type_of(frame, node, state, value)
    if known_kinds is None:
        frame.refuse("DYCL039", node, "the class is known only at run time")
    if isinstance(value, Known):
        yield state, Known(isinstance(value.value, known_kinds.value))  # type: ignore[arg-type]
    else:
        yield state, Known(issubclass(kind, known_kinds.value))  # type: ignore[arg-type]


def _type_of(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> type:
    match value:
        case TensorValue():
            return torch.Tensor
        case ScalarValue():
            if value.type is None:
                frame.refuse("DYCL039", node, "the type of this number depends on the path")
            return value.type
        case HostValue():
            return type(value.sample)
        case FunctionValue():
            return type(lambda: None)
        case _:
            kind = class_of(state, value)
            if kind is None:
                frame.refuse("DYCL039", node, "the type of this object is not supported")
            return kind


@special(type)
def type_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``type(x)``."""
    if len(positional) != 1 or keywords:
        frame.refuse("DYCL039", node, "type() with three arguments makes a class")
    yield state, Known(_type_of(frame, node, state, positional[0]))


@special(callable)
def callable_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``callable(x)``."""
    del keywords
    (value,) = positional
    if isinstance(value, FunctionValue | MethodValue):
        yield state, Known(True)
    else:
        kind = _type_of(frame, node, state, value)
        yield state, Known(hasattr(kind, "__call__") and kind is not torch.Tensor)


@special(getattr)
def getattr_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``getattr(x, name, default)``."""
    del keywords
    name = known_object(state, positional[1])
    if name is None or not isinstance(name.value, str):
        frame.refuse("DYCL060", node, "the attribute's name is known only at run time")
    if len(positional) == 2:
        yield from get_attribute(frame, node, state, positional[0], name.value)
        return
    for after, found in has_attribute(frame, node, state, positional[0], name.value):
        yield after, positional[2] if found is None else found


def has_attribute(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, name: str
) -> Iterator[tuple[State, Value | None]]:
    """Yield an attribute's value, or None where reading it raises AttributeError."""
    from rewriter.evaluation.exceptions import exception_class
    from rewriter.state import Raised

    sink: list[Raised] = []
    frame.run.sinks.append(sink)
    try:
        outcomes = list(get_attribute(frame, node, state, value, name))
    finally:
        frame.run.sinks.pop()
    yield from outcomes
    for raised in sink:
        if issubclass(exception_class(raised.state, raised.exception), AttributeError):
            yield raised.state, None
        else:
            frame.run.raise_(raised.state, raised.exception)


@special(hasattr)
def hasattr_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``hasattr(x, name)``."""
    del keywords
    name = known_object(state, positional[1])
    if name is None or not isinstance(name.value, str):
        frame.refuse("DYCL060", node, "the attribute's name is known only at run time")
    for after, found in has_attribute(frame, node, state, positional[0], name.value):
        yield after, Known(found is not None)


@special(setattr)
def setattr_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``setattr(x, name, value)``."""
    del keywords
    from rewriter.evaluation.objects import set_attribute

    owner, name_value, value = positional
    name = known_object(state, name_value)
    if name is None or not isinstance(name.value, str):
        frame.refuse("DYCL060", node, "the attribute's name is known only at run time")
    for after in set_attribute(frame, node, state, owner, name.value, value):
        yield after, NONE


@special(range)
def range_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``range(stop)``, ``range(start, stop, step)``."""
    del keywords
    numbers = []
    for value in positional:
        tensor = _tensor(value)
        if isinstance(value, TensorValue) and value.constant is not None:
            numbers.append(int(value.constant))
        elif tensor is not None and not isinstance(value, TensorValue):
            numbers.append(int(tensor))
        elif isinstance(value, Known):
            numbers.append(value.value)  # type: ignore[arg-type]
        else:
            frame.refuse(
                "DYCL061", node, "the number of iterations is known only at run time",
            )
    try:
        yield state, Known(range(*numbers))
    except Exception as error:
        frame.run.raise_known(state, error)


def _quantifier(wanted: bool) -> Any:
    def rule(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        del keywords
        source = positional[0]
        cell = state.heap[source.identity] if isinstance(source, IteratorValue) else None
        if isinstance(cell, IteratorCell) and cell.rows is not None:
            assert isinstance(source, IteratorValue)
            yield from _any_lazily(frame, node, state, source, wanted)
            return
        for after, items in items_of(frame, node, state, source):
            yield from _any(frame, node, after, list(items), wanted)

    return rule


def _any_lazily(
    frame: Frame, node: cst.CSTNode, state: State, source: IteratorValue, wanted: bool
) -> Outcomes:
    for after, element in _next_row(frame, state, source):
        if element is None:
            yield after, Known(not wanted)
            continue
        for tested, truth in truths(frame, node, after, element):
            if truth is wanted:
                yield tested, Known(wanted)
            else:
                yield from _any_lazily(frame, node, tested, source, wanted)


def _next_row(
    frame: Frame, state: State, source: IteratorValue
) -> Iterator[tuple[State, Value | None]]:
    """Yield the next element of an iterator, None where there is no more."""
    cell = state.heap[source.identity]
    assert isinstance(cell, IteratorCell)
    if not cell.items:
        yield state, None
        return
    reference, rest = Reference(source.identity), IteratorCell(cell.items[1:], cell.rows)
    frame.run.update(state, reference, rest)
    if cell.rows is None:
        yield state, cell.items[0]
        return
    for after, made in cell.rows.all(state, cell.items[:1]):
        if made:
            # A nested ``for`` may give several at once: the others come next.
            if made[1:]:
                current = after.heap[source.identity]
                assert isinstance(current, IteratorCell)
                following = made[1:] + tuple(
                    item for _, more in cell.rows.all(after, current.items) for item in more
                )
                frame.run.update(after, reference, IteratorCell(following))
            yield after, made[0]
        else:
            yield from _next_row(frame, after, source)


def _any(
    frame: Frame, node: cst.CSTNode, state: State, items: list[Value], wanted: bool
) -> Outcomes:
    if not items:
        yield state, Known(not wanted)
        return
    for after, truth in truths(frame, node, state, items[0]):
        if truth is wanted:
            yield after, Known(wanted)
        else:
            yield from _any(frame, node, after, items[1:], wanted)


special(any)(_quantifier(True))
special(all)(_quantifier(False))


@special(sum)
def sum_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``sum(items, start)``: repeated addition."""
    from rewriter.evaluation.operators import binary

    start = positional[1] if len(positional) > 1 else keywords.get("start", Known(0))
    for after, items in items_of(frame, node, state, positional[0]):
        pending: list[tuple[State, Value]] = [(after, start)]
        for item in items:
            pending = [
                outcome
                for before, total in pending
                for outcome in binary(frame, node, before, cst.Add, total, item)
            ]
        yield from pending


def _extreme(function: Any, symbol: type[cst.CSTNode]) -> Any:
    def rule(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        key = keywords.get("key")
        if len(positional) == 1:
            outcomes = items_of(frame, node, state, positional[0])
        else:
            outcomes = iter([(state, tuple(positional))])
        for after, items in outcomes:
            if not items:
                if "default" in keywords:
                    yield after, keywords["default"]
                else:
                    error = ValueError(f"{function.__name__}() arg is an empty sequence")
                    frame.run.raise_known(after, error)
                continue
            yield from _extreme_of(frame, node, after, items, key, function, symbol)

    return rule


def _extreme_of(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    items: tuple[Value, ...],
    key: Value | None,
    function: Any,
    symbol: type[cst.CSTNode],
) -> Outcomes:
    from rewriter.evaluation.sorting import keys_of

    no_key = key is None or (isinstance(key, Known) and key.value is None)
    numbers = all(isinstance(item, ScalarValue | Known) and _tensor(item) is None for item in items)
    if no_key and numbers and any(isinstance(item, ScalarValue) for item in items):
        kinds = {
            item.type if isinstance(item, ScalarValue) else type(item.value)  # type: ignore[union-attr]
            for item in items
        }
        kind = kinds.pop() if len(kinds) == 1 else None
        reference = frame.run.builder.reference(function, function.__name__)
        arguments = [render(frame.run, state, item) for item in items]
        if len(arguments) == 1:
            yield state, items[0]
            return
        expression = call_expression(reference, arguments)
        yield state, frame.run.host_scalar(state, expression, kind, frame.origin(node))
        return
    for after, keys in keys_of(frame, node, state, items, key):
        yield from _scan(frame, node, after, list(zip(items, keys, strict=True)), symbol)


def _scan(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    pairs: list[tuple[Value, Value]],
    symbol: type[cst.CSTNode],
) -> Outcomes:
    """Walk the items as Python does, keeping the best so far; one path per outcome."""
    from rewriter.evaluation.operators import ordered

    best, *rest = pairs
    if not rest:
        yield state, best[0]
        return
    challenger, *others = rest
    for after, better in ordered(frame, node, state, symbol, challenger[1], best[1]):
        for tested, truth in truths(frame, node, after, better):
            winner = challenger if truth else best
            yield from _scan(frame, node, tested, [winner, *others], symbol)


special(min)(_extreme(min, cst.LessThan))
special(max)(_extreme(max, cst.GreaterThan))


def _numeric(function: Any, method: str) -> Any:
    def rule(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        from rewriter.evaluation.calls import call_library
        from rewriter.evaluation.methods import tensor_method

        first = positional[0]
        if isinstance(first, TensorValue):
            yield from tensor_method(frame, node, state, first, method, positional[1:], keywords)
        else:
            reference = Known(function, function.__name__)
            yield from call_library(frame, node, state, reference, positional, keywords)

    return rule


special(abs)(_numeric(abs, "abs"))
special(round)(_numeric(round, "round"))


@special(sorted)
def sorted_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``sorted(items, key=, reverse=)``."""
    from rewriter.evaluation.sorting import sorted_items

    for after, items in items_of(frame, node, state, positional[0]):
        for done, ordered_items in sorted_items(frame, node, after, items, keywords):
            yield done, frame.run.allocate(done, ListCell(ordered_items))


@special(map)
def map_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``map(function, items...)``, evaluated at once."""
    del keywords
    function, *iterables = positional
    for after, columns in _all_items(frame, node, state, iterables):
        rows = [list(row) for row in zip(*columns, strict=False)]
        for done, results in _call_rows(frame, node, after, function, rows):
            yield done, iterator(frame.run, done, tuple(results))


def _call_rows(
    frame: Frame, node: cst.CSTNode, state: State, function: Value, rows: list[list[Value]]
) -> Iterator[tuple[State, list[Value]]]:
    if not rows:
        yield state, []
        return
    for after, first in call_value(frame, node, state, function, rows[0], {}):
        for done, rest in _call_rows(frame, node, after, function, rows[1:]):
            yield done, [first, *rest]


@special(filter)
def filter_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``filter(function, items)``, evaluated at once."""
    del keywords
    function, iterable = positional
    for after, items in items_of(frame, node, state, iterable):
        for done, kept in _kept(frame, node, after, function, list(items)):
            yield done, iterator(frame.run, done, tuple(kept))


def _kept(
    frame: Frame, node: cst.CSTNode, state: State, function: Value, items: list[Value]
) -> Iterator[tuple[State, list[Value]]]:
    if not items:
        yield state, []
        return
    plain = isinstance(function, Known) and function.value is None
    tested = (
        iter([(state, items[0])])
        if plain
        else call_value(frame, node, state, function, [items[0]], {})
    )
    for after, result in tested:
        for done, truth in truths(frame, node, after, result):
            for end, rest in _kept(frame, node, done, function, items[1:]):
                yield end, [items[0], *rest] if truth else rest


def super_value(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional
) -> SuperValue:
    """``super()``, ``super(Class, self)``."""
    if positional:
        owner, receiver = positional
        if not isinstance(owner, Known) or not isinstance(owner.value, type):
            frame.refuse("DYCL039", node, "the class of super() is known only at run time")
        return SuperValue(owner.value, receiver)
    method = next((f for f in (frame, *frame.lexical) if not f.comprehension), frame)
    if method.owner is None or method.receiver is None:
        frame.refuse("DYCL039", node, "super() outside a method")
    return SuperValue(method.owner, state.frames[method.identity][method.receiver])


@special(torch.equal)
def equal(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch.equal(a, b)``: one flag computed with the tensors, read on the host."""
    del keywords
    left, right = (_tensor(value) for value in positional)
    if left is None or right is None or left.shape != right.shape:
        yield state, Known(left is not None and right is not None and False)
        return
    from rewriter.evaluation.operators import ordered

    for after, same in ordered(frame, node, state, cst.Equal, *positional):
        yield from _all_true(frame, node, after, same)


@special(torch.allclose)
def allclose(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch.allclose(a, b)``: one flag computed with the tensors, read on the host."""
    function = Known(torch.isclose, "torch.isclose")
    for after, close in call_value(frame, node, state, function, positional, keywords):
        yield from _all_true(frame, node, after, close)


def _all_true(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Outcomes:
    for after, flag in call_value(frame, node, state, MethodValue(value, "all"), [], {}):
        assert isinstance(flag, TensorValue)
        yield from item_of(frame, node, after, flag)


@special(torch.is_tensor)
def is_tensor(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch.is_tensor(x)``."""
    del frame, node, keywords
    yield state, Known(_tensor(positional[0]) is not None)


@special(operator.itemgetter)
def itemgetter(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Refused by name: its result is a C object over run-time values."""
    del state, positional, keywords
    frame.refuse("DYCL045", node, "operator.itemgetter is not supported; use a lambda")
