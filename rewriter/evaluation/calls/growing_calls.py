"""Calls that hand over more at every depth: what grows exists at run time only.

A recursion that hands over ``path + [step]``, or appends to a list around it, has another
structure at every depth, and would be inlined for ever. After a few depths the containers that
grew are taken as those of any length, and the numbers that changed as those of any value, from
the outermost call on: then all depths look the same. So is a text that grows (``code + "0"``).
"""

from collections.abc import Mapping, Sequence

import libcst as cst

from rewriter.evaluation.calls.abstract_calls import AbstractCall
from rewriter.evaluation.calls.call_table import Activation, Grown, GrowsWithin, Growth
from rewriter.evaluation.control.growing_tuples import any_length, type_of_tuples
from rewriter.evaluation.host.host_statements import host_value
from rewriter.evaluation.rendering import render
from rewriter.evaluation.run import Frame, Run
from rewriter.evaluation.run_time.run_time_structures import settle_as, type_for_both
from rewriter.flattening import SCALAR_TYPES
from rewriter.host_types import TEXT, MappingType, ObjectType, SequenceType, SetType
from rewriter.state import State
from rewriter.values import DictCell, Known, ListCell, Reference, SetCell, TupleValue, Value

_FEW_DEPTHS = 6
_FEW_FUNCTIONS = 3


def growth_in(
    run: Run, call: AbstractCall, state: State, variables: Mapping[str, Value]
) -> tuple[Activation, Growth] | None:
    """Return the outermost of the calls around one, and what grew since; None for nothing.

    The outermost may make what the others are handed: ``items = [] if items is None else items``.
    """
    table = run.calls
    if call.function in table.never_grown:
        return None
    around = [each for each in table.active if each.call.function == call.function]
    found = _growth_since(run, around, state, variables)
    return found or _growth_since(run, around[1:], state, variables)


def _growth_since(
    run: Run, around: Sequence[Activation], state: State, variables: Mapping[str, Value]
) -> tuple[Activation, Growth] | None:
    # where each depth may be the last one, there may be any number of them
    least = _FEW_DEPTHS if all(each.has_ended for each in around) else run.options.unroll
    if not around or len(around) < least or run.branches == around[0].branches:
        return None
    outer = around[0]
    containers = _containers(outer, state, variables)
    if not containers:
        return None
    numbers = frozenset(
        name
        for name, value in variables.items()
        if _is_number(value) and _is_other_number(outer.variables.get(name), value)
    )
    return outer, Growth(containers=containers, numbers=numbers)


def require_no_growth(run: Run, call: AbstractCall) -> None:
    """Raise GrowsWithin where a function is evaluated again and again for longer containers."""
    within = run.calls.evaluations(call.function)
    if len(within) < _FEW_FUNCTIONS or call.function in run.calls.never_grown:
        return
    found = _longer(within[0].inside, call.flattening.state, _reached(within[0].call))
    if found:
        growth = Growth(containers=found, numbers=frozenset())
        raise GrowsWithin(call.function, growth)


def _containers(
    outer: Activation, state: State, variables: Mapping[str, Value]
) -> dict[str | int, Grown]:
    """Return what has more items now, by parameter or identity, with a type for both."""
    pairs: dict[str | int, tuple[Value, Value]] = {
        name: (outer.variables[name], value)
        for name, value in variables.items()
        if name in outer.variables
    }
    return _longer(outer.state, state, pairs | _reached(outer.call))


def _reached(call: AbstractCall) -> dict[str | int, tuple[Value, Value]]:
    """Return the objects that a call reaches, each as it was and as it is now."""
    return {each: (Reference(each), Reference(each)) for each in call.flattening.cells}


def _longer(
    before: State, now: State, pairs: Mapping[str | int, tuple[Value, Value]]
) -> dict[str | int, Grown]:
    """Return of which values there is more now, with a type for both."""
    found: dict[str | int, Grown] = {}
    for place, (one, other) in pairs.items():
        short, long = _length(before, one), _length(now, other)
        if short is not None and long is not None and short < long:
            wanted = _type_of_both(before, one, now, other)
            if isinstance(wanted, SequenceType | MappingType | SetType | ObjectType):
                found[place] = wanted
    return found


def _length(state: State, value: Value) -> int | None:
    """Return how many items a container of known structure has, None for other values."""
    match value:
        case TupleValue():
            return len(value.items)
        case Known() if type(value.value) in (tuple, str):
            return len(value.value)
        case Reference():
            cell = state.heap.get(value.identity)
            return len(cell.items) if isinstance(cell, ListCell | DictCell | SetCell) else None
        case _:
            return None


def _type_of_both(before: State, one: Value, now: State, other: Value) -> Grown | None:
    if isinstance(one, Known) and isinstance(other, Known) and type(one.value) is str:
        return TEXT if type(other.value) is str else None
    if isinstance(one, Reference) and isinstance(other, Reference):
        return type_for_both(before, one, now, other)
    return type_of_tuples(before, one, now, other)


def _is_number(value: Value | None) -> bool:
    return isinstance(value, Known) and type(value.value) in SCALAR_TYPES


def _is_other_number(one: Value | None, other: Value) -> bool:
    assert isinstance(other, Known)
    return isinstance(one, Known) and _is_number(one) and one.value != other.value


def let_grow(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    variables: Mapping[str, Value],
    containers: Mapping[str | int, Grown],
) -> dict[str, Value] | None:
    """Let containers and texts be of any length; return a call's variables then.

    None where one of them cannot.
    """
    changed = dict(variables)
    for place, wanted in containers.items():
        value = Reference(place) if isinstance(place, int) else variables[place]
        if isinstance(value, Reference):
            if isinstance(wanted, ObjectType) or not settle_as(frame, node, state, value, wanted):
                return None
            continue
        assert isinstance(place, str)
        if isinstance(wanted, ObjectType):
            text, origin = render(frame.run, state, value), frame.origin(node)
            changed[place] = host_value(frame.run, state, text, "", origin, may_raise=False)
            continue
        assert isinstance(wanted, SequenceType)
        longer = any_length(frame, node, state, value, wanted)
        if longer is None:
            return None
        changed[place] = longer
    return changed


def places_of(call: AbstractCall, names: frozenset[str]) -> frozenset[int]:
    """Return where the numbers that a call hands over under names are among its leaves."""
    hints = call.flattening.hints
    return frozenset(hints.index(name) for name in names if name in hints)
