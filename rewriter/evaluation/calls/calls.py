"""Which function calls which kind of value: one table, filled by ``callables``."""

from collections.abc import Callable
from typing import TypeAlias, TypeVar

import libcst as cst

from rewriter.evaluation.containers.containers import describe
from rewriter.evaluation.refusals import UsedPoison
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Poison, Value

CallRule: TypeAlias = Callable[
    [Frame, cst.CSTNode, State, Value, list[Value], dict[str, Value]], Outcomes
]

CALLS: dict[type[Value], CallRule] = {}

_Rule = TypeVar("_Rule", bound=Callable[..., Outcomes])


def call_rule(kind: type[Value]) -> Callable[[_Rule], _Rule]:
    """Register the function that calls values of a kind."""

    def register(rule: _Rule) -> _Rule:
        CALLS[kind] = rule
        return rule

    return register


def call_value(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Value,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call any value."""
    if isinstance(function, Poison):
        raise UsedPoison
    rule = CALLS.get(type(function))
    if rule is None:
        error = TypeError(f"{describe(state, function)} is not callable")
        frame.run.raise_known(state, error)
        return iter(())
    return rule(frame, node, state, function, positional, keywords)
