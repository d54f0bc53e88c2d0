"""Statements without a suite: expressions, assignments, ``return`` and the other small ones."""

import libcst as cst
import torch

from rewriter.evaluation.assignment import assign, delete
from rewriter.evaluation.control.resizing import forgotten_resize
from rewriter.evaluation.control.statements import execute, execute_suite
from rewriter.evaluation.dispatch import evaluate, statement_rule
from rewriter.evaluation.operators.augmented_assignment import assign_operator
from rewriter.evaluation.run import Frame
from rewriter.state import Broke, Completion, Continued, Next, Returned, State
from rewriter.values import NONE, Known, Value


@statement_rule(cst.SimpleStatementLine, cst.SimpleStatementSuite)
def line(
    frame: Frame, node: cst.SimpleStatementLine | cst.SimpleStatementSuite, state: State
) -> list[Completion]:
    """One line of small statements."""
    if len(node.body) > 1:
        return execute_suite(frame, node, state)
    forgotten = forgotten_resize(frame, node.body[0], state)
    return execute(frame, node.body[0], state) if forgotten is None else list(forgotten)


@statement_rule(cst.Pass)
def pass_(frame: Frame, node: cst.Pass, state: State) -> list[Completion]:
    """``pass``."""
    del frame, node
    return [Next(state)]


@statement_rule(cst.Expr)
def expression_statement(frame: Frame, node: cst.Expr, state: State) -> list[Completion]:
    """An expression for its effects."""
    values = list(evaluate(frame, node.value, state))
    for _, value in values:
        _refuse_setting(frame, node, value)
    return [Next(after) for after, _ in values]


def _refuse_setting(frame: Frame, node: cst.CSTNode, value: Value) -> None:
    """Refuse what says where it is made whether gradients are computed, not only for a block."""
    if isinstance(value, Known) and isinstance(value.value, torch.set_grad_enabled):
        frame.refuse("DYCL045", node, "it sets whether gradients are computed, from here on")


@statement_rule(cst.Return)
def return_(frame: Frame, node: cst.Return, state: State) -> list[Completion]:
    """``return value``."""
    values = [(state, NONE)] if node.value is None else list(evaluate(frame, node.value, state))
    frame.run.calls.note_end(frame.identity)
    return [Returned(after, value, node) for after, value in values]


@statement_rule(cst.Break)
def break_(frame: Frame, node: cst.Break, state: State) -> list[Completion]:
    """``break``."""
    del frame, node
    return [Broke(state)]


@statement_rule(cst.Continue)
def continue_(frame: Frame, node: cst.Continue, state: State) -> list[Completion]:
    """``continue``."""
    del frame, node
    return [Continued(state)]


@statement_rule(cst.Assign)
def assign_(frame: Frame, node: cst.Assign, state: State) -> list[Completion]:
    """``a = b = value``."""
    completions: list[Completion] = []
    for after, value in evaluate(frame, node.value, state):
        _refuse_setting(frame, node, value)
        pending = [after]
        for target in node.targets:
            pending = [
                bound for before in pending for bound in assign(frame, target.target, before, value)
            ]
        completions += [Next(end) for end in pending]
    return completions


@statement_rule(cst.AnnAssign)
def annotated_assign(frame: Frame, node: cst.AnnAssign, state: State) -> list[Completion]:
    """``a: int = value``; the annotation is not evaluated, as in functions."""
    if node.value is None:
        return [Next(state)]
    return [
        Next(bound)
        for after, value in evaluate(frame, node.value, state)
        for bound in assign(frame, node.target, after, value)
    ]


@statement_rule(cst.AugAssign)
def augmented_assign(frame: Frame, node: cst.AugAssign, state: State) -> list[Completion]:
    """``a += value``."""
    return [Next(after) for after in assign_operator(frame, node, state)]


@statement_rule(cst.Del)
def delete_(frame: Frame, node: cst.Del, state: State) -> list[Completion]:
    """``del a, b[0]``."""
    return [Next(after) for after in delete(frame, node.target, state)]


@statement_rule(cst.Nonlocal, cst.Global)
def declaration(frame: Frame, node: cst.CSTNode, state: State) -> list[Completion]:
    """``nonlocal x``: no code of its own, see ``scope``."""
    del frame, node
    return [Next(state)]
