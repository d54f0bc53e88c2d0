"""Operators of sets on the keys of dicts: ``left.keys() & right.keys()``, ``keys - {"a"}``."""

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.set_history import SetHistory
from rewriter.state import State
from rewriter.values import DictCell, Reference, Value, ViewValue, set_cell

_OF_SETS = (operator.and_, operator.or_, operator.sub, operator.xor)


def keys_operator(
    frame: Frame, state: State, operands: tuple[Value, ...], function: Callable[..., Any]
) -> Outcomes | None:
    """Return the set that an operator makes of keys, None where it is no such operator.

    CPython does it, with dicts of the same keys, so that the set has the same order.
    """
    if function not in _OF_SETS or not any(isinstance(o, ViewValue) for o in operands):
        return None
    stand_ins = [_stand_in(state, operand) for operand in operands]
    given = [stand_in[0] for stand_in in stand_ins if stand_in is not None]
    if len(given) < len(operands):
        return None
    return _applied(frame, state, partial(function, *given))


def _applied(frame: Frame, state: State, apply: partial[Any]) -> Outcomes:
    try:
        apply()
    except Exception as error:
        frame.run.raise_known(state, error)
        return
    yield state, frame.run.allocate(state, set_cell(SetHistory(apply)))


def _stand_in(state: State, operand: Value) -> tuple[object] | None:
    """Return what an operator takes for the same as an operand, None if that is not known."""
    cell = state.heap[operand.identity] if isinstance(operand, ViewValue | Reference) else None
    if not isinstance(cell, DictCell):
        known = known_object(state, operand)
        return None if known is None else (known.value,)
    if cell.kind is not dict or (isinstance(operand, ViewValue) and operand.part != "keys"):
        return None
    same_keys = dict.fromkeys(cell.items)
    return (same_keys.keys() if isinstance(operand, ViewValue) else same_keys,)
