"""Lists of the host whose items have types of their own: ``[tokens, score, state]``.

Such a list keeps its length: items are read, and replaced by others of their types. What makes
it longer, shorter or orders it anew is refused.
"""

import ast
from collections.abc import Iterator
from typing import Any, TypeAlias

import libcst as cst

from rewriter.evaluation.host.host_statements import host_effect
from rewriter.evaluation.rendering import call_expression, known_object, name_expression
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.moving import put
from rewriter.evaluation.run_time.run_time_objects import changeable, made, run_time_cell, taken
from rewriter.host_types import MixedListType
from rewriter.state import State
from rewriter.values import (
    ListCell,
    Reference,
    RunTimeCell,
    SliceValue,
    Value,
)

Parts: TypeAlias = Iterator[tuple[State, tuple[Value, ...]]]


def is_mixed_list(state: State, value: Value) -> bool:
    """Return whether a value is a list of the host whose items have types of their own."""
    cell = run_time_cell(state, value)
    return cell is not None and isinstance(cell.type, MixedListType)


def mixed_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Reference, index: Value
) -> Outcomes:
    """Evaluate ``items[index]`` and ``items[a:b]`` with an index known at compile time."""
    given = _type(state, value)
    try:
        places = range(len(given.items))[_known_index(frame, node, state, index)]
    except (IndexError, TypeError) as error:
        frame.run.raise_known(state, _worded(error))
        return
    if isinstance(places, int):
        yield from _item(frame, node, state, value, places)
        return
    for after, items in mixed_items(frame, node, state, value, tuple(places)):
        yield after, frame.run.allocate(after, ListCell(items))


def mixed_items(
    frame: Frame, node: cst.CSTNode, state: State, value: Reference,
    places: tuple[int, ...] | None = None,
) -> Parts:  # fmt: skip
    """Yield the items at places, all of them without."""
    if places is None:
        places = tuple(range(len(_type(state, value).items)))
    pending: list[tuple[State, tuple[Value, ...]]] = [(state, ())]
    for place in places:
        pending = [
            (after, (*so_far, item))
            for before, so_far in pending
            for after, item in _item(frame, node, before, value, place)
        ]
    yield from pending


def set_mixed_item(
    frame: Frame, node: cst.CSTNode, state: State, value: Reference, index: Value, item: Value
) -> list[State]:
    """Execute ``items[index] = item``; slices are refused."""
    given = _type(state, value)
    known = _known_index(frame, node, state, index)
    if isinstance(known, slice):
        frame.refuse("DYCL073", node, f"a slice of {_WORDS} is replaced", _HELP)
    try:
        place = range(len(given.items))[known]
    except (IndexError, TypeError) as error:
        frame.run.raise_known(state, _worded(error, assigned=True))
        return []
    changeable(frame, node, value)
    content = put(frame, node, state, item, given.items[place])
    name = name_expression(state.cell(value, RunTimeCell).name)
    method = ast.Attribute(value=name, attr="__setitem__", ctx=ast.Load())
    call = call_expression(method, [ast.Constant(value=place), content])
    host_effect(frame.run, state, call, frame.origin(node), may_raise=False)
    return [state]


def mixed_method(
    frame: Frame, node: cst.CSTNode, state: State, value: Reference, name: str,
    positional: list[Value],
) -> Outcomes:  # fmt: skip
    """Evaluate ``items.name(arguments)``; what changes the length is refused."""
    if name != "copy" or positional:
        frame.refuse("DYCL073", node, f"method {name!r} of {_WORDS}", _HELP)
    cell = state.cell(value, RunTimeCell)
    method = ast.Attribute(value=name_expression(cell.name), attr=name, ctx=ast.Load())
    yield state, made(frame, node, state, call_expression(method, []), cell.type, may_raise=False)


_WORDS = "a list in a run-time container whose items are of different types"
_HELP = "keep what grows in a list of its own"


def _type(state: State, value: Reference) -> MixedListType:
    given = state.cell(value, RunTimeCell).type
    assert isinstance(given, MixedListType)
    return given


def _item(frame: Frame, node: cst.CSTNode, state: State, value: Reference, place: int) -> Outcomes:
    cell, given = state.cell(value, RunTimeCell), _type(state, value)
    position = ast.Constant(value=place)
    found = ast.Subscript(value=name_expression(cell.name), slice=position, ctx=ast.Load())
    yield from taken(frame, node, state, found, given.items[place], may_raise=False)


def _known_index(frame: Frame, node: cst.CSTNode, state: State, index: Value) -> Any:
    """Return an index or slice. What it is must be known at compile time."""
    parts = (index.start, index.stop, index.step) if isinstance(index, SliceValue) else (index,)
    known = [known_object(state, part) for part in parts]
    if any(part is None for part in known):
        frame.refuse("DYCL073", node, f"{_WORDS} is indexed by what is known only at run time")
    values = [part.value for part in known if part is not None]
    return slice(*values) if isinstance(index, SliceValue) else values[0]


def _worded(error: Exception, *, assigned: bool = False) -> Exception:
    """Return the error that Python's lists raise."""
    if isinstance(error, IndexError) and "cannot fit" not in str(error):
        return IndexError(f"list {'assignment ' if assigned else ''}index out of range")
    return TypeError(str(error).replace("range indices", "list indices"))
