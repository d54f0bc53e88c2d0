"""``if``, ``elif`` and ``else``: paths that join after each suite."""

import libcst as cst

from rewriter.evaluation.control.statements import execute, execute_suite, join
from rewriter.evaluation.dispatch import evaluate, statement_rule
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.run import Frame
from rewriter.state import Completion, Next, State


@statement_rule(cst.If)
def if_(frame: Frame, node: cst.If, state: State) -> list[Completion]:
    """``if test: ... elif ...: ... else: ...``."""
    arms: dict[bool, list[State]] = {True: [], False: []}
    for after, value in evaluate(frame, node.test, state):
        for arm, truth in truths(frame, node.test, after, value):
            frame.finish_reading(arm)
            arms[truth].append(arm)
    completions: list[Completion] = []
    for truth, suite in ((True, node.body), (False, node.orelse)):
        states = join(frame, node.test, [Next(arm) for arm in arms[truth]])
        for arm in states:
            match suite:
                case None:
                    completions.append(Next(arm))
                case cst.If():
                    completions += execute(frame, suite, arm)
                case cst.Else():
                    completions += execute_suite(frame, suite.body, arm)
                case _:
                    completions += execute_suite(frame, suite, arm)
    return completions
