"""``and``, ``or``, ``not`` and conditional expressions."""

import ast

import libcst as cst

from rewriter.evaluation.dispatch import evaluate, expression_rule
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.operators.truth import known_after, truths
from rewriter.evaluation.rendering import render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Known, ScalarValue, Value


def negation(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Outcomes:
    """``not value``: a host expression for a run-time number, a branch never needed."""
    if isinstance(value, ScalarValue) and value.name not in state.facts:
        expression = ast.UnaryOp(op=ast.Not(), operand=render(frame.run, state, value))
        yield state, host_scalar(frame.run, state, expression, bool, frame.origin(node))
        return
    for after, truth in truths(frame, node, state, value):
        yield after, Known(not truth)


@expression_rule(cst.BooleanOperation)
def boolean_operation(frame: Frame, node: cst.BooleanOperation, state: State) -> Outcomes:
    """``left and right``, ``left or right``: Python's short circuit, giving an operand."""
    is_and = isinstance(node.operator, cst.And)
    for after_left, left in evaluate(frame, node.left, state):
        for after_test, truth in truths(frame, node.left, after_left, left):
            if truth is is_and:
                yield from evaluate(frame, node.right, after_test)
            else:
                yield after_test, known_after(after_test, left)


@expression_rule(cst.IfExp)
def conditional(frame: Frame, node: cst.IfExp, state: State) -> Outcomes:
    """``body if test else orelse``."""
    for after, value in evaluate(frame, node.test, state):
        for arm, truth in truths(frame, node.test, after, value):
            yield from evaluate(frame, node.body if truth else node.orelse, arm)
