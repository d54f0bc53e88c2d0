"""Masks that are made more than once in the same way: ``x[~done]`` and ``y[~done]``."""

import operator

import torch

from rewriter.evaluation.leaf.operation import Operation
from rewriter.state import State
from rewriter.values import Known, ScalarValue, TensorValue, Value

_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_LOGICAL = ("logical_not", "logical_and", "logical_or", "logical_xor", "bitwise_not")
_FUNCTIONS = {
    function.__name__: getattr(operator, function.__name__)
    for function in (operator.invert, operator.and_, operator.or_, operator.xor)
} | {name: getattr(operator, name) for name in _COMPARISONS}
_NAMES = frozenset((*_COMPARISONS, *_LOGICAL, "isnan", "isinf", "isfinite"))
"""Functions and methods of torch that make masks of what their operands hold alone."""
_MADE_LIKE = "made like"


def note_mask(operation: Operation, made: TensorValue) -> TensorValue:
    """Record how a tensor was made, where it is a mask: what is made alike holds the same."""
    way = _way(operation) if made.fake.dtype is torch.bool else None
    if way is not None:
        notes = operation.state.of_lists
        _, first = notes.setdefault((way, _MADE_LIKE), (0, made))
        if first is not made:
            notes[made.name, _MADE_LIKE] = (0, first)
    return made


def first_like(state: State, mask: TensorValue) -> TensorValue:
    """Return the mask that was made first of those that surely hold the same."""
    _, first = state.of_lists.get((mask.name, _MADE_LIKE), (0, mask))
    return first if isinstance(first, TensorValue) else mask


def _way(operation: Operation) -> str | None:
    """Return a text that is equal for operations with equal results; None where none is known."""
    name = getattr(operation.compute, "__name__", "")
    by_operator = _FUNCTIONS.get(name) is operation.compute
    if operation.keywords or not (by_operator or name in _NAMES):
        return None
    parts = [_part(operation.state, operand) for operand in operation.operands]
    return None if None in parts else f"{name} {' '.join(filter(None, parts))}"


def _part(state: State, operand: Value) -> str | None:
    match operand:
        case TensorValue():
            return first_like(state, state.current(operand)).name
        case ScalarValue():
            return operand.name
        case Known(value=bool() | int() | float() as number):
            return repr(number)
        case _:
            return None
