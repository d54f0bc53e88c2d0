"""Comparison expressions: ``a < b < c``, ``is``, ``in``."""

import libcst as cst

from rewriter.evaluation.containers.membership import contains
from rewriter.evaluation.dispatch import evaluate, expression_rule
from rewriter.evaluation.instances.asked_tables import is_missing, own_attribute, owner_of_table
from rewriter.evaluation.instances.attributes import get_attribute
from rewriter.evaluation.operators.boolean_operators import negation
from rewriter.evaluation.operators.comparisons import ordered
from rewriter.evaluation.operators.identity import sameness
from rewriter.evaluation.operators.truth import known_after, truths
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import (
    Known,
    ScalarValue,
    Value,
)


@expression_rule(cst.Comparison)
def comparison(frame: Frame, node: cst.Comparison, state: State) -> Outcomes:
    """``a < b < c``: each operand once, later ones only while the earlier tests hold."""
    for after, left in evaluate(frame, node.left, state):
        yield from _comparison_rest(frame, node, after, left, list(node.comparisons))


def _comparison_rest(
    frame: Frame,
    node: cst.Comparison,
    state: State,
    left: Value,
    targets: list[cst.ComparisonTarget],
) -> Outcomes:
    target, *rest = targets
    if not rest and (owner := owner_of_table(target.comparator)) is not None:
        yield from _asked(frame, node, state, left, target, owner)
        return
    for after, right in evaluate(frame, target.comparator, state):
        for compared, result in compare(frame, node, after, target.operator, left, right):
            if not rest:
                yield compared, result
                continue
            for tested, truth in truths(frame, node, compared, result):
                if truth:
                    yield from _comparison_rest(frame, node, tested, right, rest)
                else:
                    yield tested, known_after(tested, result)


def _asked(
    frame: Frame,
    node: cst.Comparison,
    state: State,
    left: Value,
    target: cst.ComparisonTarget,
    owner: cst.BaseExpression,
) -> Outcomes:
    """``left in owner.__dict__``, and all other comparisons with the attributes of an object."""
    for after, value in evaluate(frame, owner, state):
        if isinstance(target.operator, cst.In | cst.NotIn):
            found = own_attribute(frame, node, after, value, left)
            if found is not None:
                yield after, Known(is_missing(found) is isinstance(target.operator, cst.NotIn))
                continue
        for ready, table in get_attribute(frame, target.comparator, after, value, "__dict__"):
            yield from compare(frame, node, ready, target.operator, left, table)


def compare(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    symbol: cst.BaseCompOp,
    left: Value,
    right: Value,
) -> Outcomes:
    """Compare two values by one operator."""
    match symbol:
        case cst.Is() | cst.IsNot() if _are_bools(left, right):
            equality = cst.Equal if isinstance(symbol, cst.Is) else cst.NotEqual
            return ordered(frame, node, state, equality, left, right)
        case cst.Is() | cst.IsNot():
            same = sameness(frame, node, state, left, right)
            if isinstance(symbol, cst.Is):
                return iter([(state, same)])
            return negation(frame, node, state, same)
        case cst.In() | cst.NotIn():
            return contains(frame, node, state, left, right, isinstance(symbol, cst.NotIn))
        case _:
            return ordered(frame, node, state, type(symbol), left, right)


def _are_bools(left: Value, right: Value) -> bool:
    """Return whether both are bools, which are one object each: ``is`` means ``==``."""
    return all(
        (isinstance(value, ScalarValue) and value.type is bool)
        or (isinstance(value, Known) and type(value.value) is bool)
        for value in (left, right)
    )
