"""Which function evaluates which libcst node: one table for expressions, one for statements."""

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import libcst as cst

from rewriter.evaluation.refusals import TooLong
from rewriter.evaluation.run import Frame, Outcomes, Run
from rewriter.joins import ManyStructures
from rewriter.keeping.noting import resident
from rewriter.state import Completion, State
from rewriter.values import Value

ExpressionRule: TypeAlias = Callable[[Frame, Any, State], Outcomes]
StatementRule: TypeAlias = Callable[[Frame, Any, State], list[Completion]]

EXPRESSIONS: dict[type[cst.CSTNode], ExpressionRule] = {}
STATEMENTS: dict[type[cst.CSTNode], StatementRule] = {}

_MUCH = 2_000
"""Variables from which on a program is taken with containers of few structures."""

_Rule = TypeVar("_Rule", bound=Callable[..., Any])


def expression_rule(*kinds: type[cst.CSTNode]) -> Callable[[_Rule], _Rule]:
    """Register the rule that evaluates expressions of the given kinds."""

    def register(rule: _Rule) -> _Rule:
        for kind in kinds:
            EXPRESSIONS[kind] = rule
        return rule

    return register


def statement_rule(*kinds: type[cst.CSTNode]) -> Callable[[_Rule], _Rule]:
    """Register the rule that executes statements of the given kinds."""

    def register(rule: _Rule) -> _Rule:
        for kind in kinds:
            STATEMENTS[kind] = rule
        return rule

    return register


def evaluate(frame: Frame, node: cst.CSTNode, state: State) -> Outcomes:
    """Evaluate an expression; unknown syntax is refused by name."""
    rule = EXPRESSIONS.get(type(node))
    if rule is None:
        word = type(node).__name__.lower()
        frame.refuse("DYCL001", node, f"`{word}` is not supported in an expression")
    made, options = len(frame.run.builder.variables), frame.run.options
    if made > options.most_statements:
        raise TooLong(options.most_statements, frame.origin(node))
    if made > _MUCH and options.few_structures is None and frame.run.builder.joins.apart:
        raise ManyStructures
    for after, value in rule(frame, node, state):
        yield after, noted(frame.run, after, value)


def noted(run: Run, state: State, value: Value) -> Value:
    """Return the value of an expression as it is kept, and hold it until its statement ends."""
    value = resident(run, state, value)
    state.carry(value)
    return value
