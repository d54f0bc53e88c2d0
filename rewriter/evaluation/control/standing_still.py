"""Tests of ``while`` that are known and do not come nearer to their end.

``while target > state.time`` is known on a path as long as that refuses its steps: each copy of
the body would leave another such path behind. What the test compares is what it compared an
iteration before; such a loop goes on for as long as something known only at run time lets it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst
import torch

from rewriter.evaluation.dispatch import evaluate
from rewriter.evaluation.refusals import Refused, UsedPoison
from rewriter.evaluation.run import Frame
from rewriter.host_type_relations import TypeToken
from rewriter.source import FunctionSource
from rewriter.state import State
from rewriter.values import (
    FunctionValue,
    HostValue,
    Known,
    Reference,
    RunTimeCell,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
)

_PARTED = 2
"""Iterations to unroll where paths with other structures go on side by side."""


@dataclass(slots=True)
class StandingStill:
    """What the test of a loop compared at the start of the last iteration, by path."""

    node: cst.While
    last: list[tuple[object, ...]] = field(default_factory=list)
    now: list[tuple[object, ...]] = field(default_factory=list)
    functions: list[tuple[object, ...]] = field(default_factory=list)
    """What it compared in any iteration, where that were functions: states of a machine."""
    given_up: bool = False

    def next_iteration(self) -> None:
        """Take what this iteration's paths compared for that of the last."""
        self.last, self.now = self.now, []

    def promises(self, frame: Frame, state: State, iteration: int, *, parted: bool) -> bool:
        """Return whether a path, whose test is known to be true, is better rolled."""
        if self.given_up:
            return False
        operands = _known_operands(frame, self.node.test, state)
        if operands is None:
            return False
        self.now.append(operands)
        before = [*self.last, *self.functions]
        if any(isinstance(operand, FunctionSource) for operand in operands):
            self.functions.append(operands)
        if iteration < (_PARTED if parted else frame.run.options.unroll):
            return False
        return operands in before


def _known_operands(
    frame: Frame, test: cst.BaseExpression, state: State
) -> tuple[object, ...] | None:
    """Evaluate what a test compares, and undo it: contents, or names of tensors and numbers."""
    builder = frame.run.builder
    checkpoint = builder.checkpoint(state.block)
    raised, diagnostics = len(frame.run.sinks[-1]), len(frame.run.diagnostics)
    contents: list[object] = []
    try:
        for operand, by_kind in _operands(test):
            outcomes = list(evaluate(frame, operand, state.fork(state.block)))
            if len(outcomes) != 1:
                return None
            after, value = outcomes[0]
            content = _identity(after, value, by_kind=by_kind)
            if content is None:
                return None
            contents.append(content)
    except (Refused, UsedPoison):
        return None
    finally:
        builder.rollback(checkpoint)
        del frame.run.sinks[-1][raised:]
        del frame.run.diagnostics[diagnostics:]
    return tuple(contents)


def _identity(state: State, value: Value, *, by_kind: bool) -> object:
    """Return what tells operands apart; None for those that tell nothing.

    For ``node is not None`` it does not matter which number or tensor that is.
    """
    match value:
        case TupleValue():
            items = [_identity(state, item, by_kind=True) for item in value.items]
            return None if None in items else (TupleValue, value.kind, *items)
        case ScalarValue() | HostValue() | TensorValue() if by_kind:
            kind = value.type if isinstance(value, ScalarValue) else None
            return type(value), kind
        case Known():
            return _Content(value.value)
        case FunctionValue():
            return value.source
        case TensorValue():
            return TensorValue, state.current(value).name
        case ScalarValue():
            return ScalarValue, value.name
        case Reference() if isinstance(cell := state.heap[value.identity], RunTimeCell):
            return TypeToken(cell.type)
        case _:
            return None


def _operands(test: cst.BaseExpression) -> Iterator[tuple[cst.BaseExpression, bool]]:
    """Yield what a test compares, and whether by nothing but what kind of object it is."""
    match test:
        case cst.Comparison():
            by_kind = all(isinstance(t.operator, cst.Is | cst.IsNot) for t in test.comparisons)
            yield test.left, by_kind
            yield from ((target.comparator, by_kind) for target in test.comparisons)
        case cst.BooleanOperation():
            yield from _operands(test.left)
            yield from _operands(test.right)
        case cst.UnaryOperation(operator=cst.Not()):
            yield from _operands(test.expression)
        case _:
            yield test, False


@dataclass(frozen=True, slots=True, eq=False)
class _Content:
    """An object that is known."""

    value: object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Content) and _is_same(self.value, other.value)

    def __hash__(self) -> int:
        return hash(type(self.value))


def _is_same(one: object, other: object) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return one is other or (one.dtype == other.dtype and torch.equal(one, other))
    if isinstance(one, bool | int | float | str | tuple) and type(one) is type(other):
        return one == other
    return one is other
