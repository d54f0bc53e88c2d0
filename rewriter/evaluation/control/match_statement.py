"""``match``: the cases in order; a pattern is a test and binds what it captures where it holds."""

import libcst as cst

from rewriter.evaluation.control.match_patterns import match_pattern
from rewriter.evaluation.control.statements import execute_suite, join
from rewriter.evaluation.dispatch import evaluate, statement_rule
from rewriter.evaluation.names import bind
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.run import Frame
from rewriter.state import Completion, Next, State
from rewriter.values import Value


@statement_rule(cst.Match)
def match_(frame: Frame, node: cst.Match, state: State) -> list[Completion]:
    """``match subject: case pattern if guard: ...``."""
    completions: list[Completion] = []
    for after, subject in evaluate(frame, node.subject, state):
        pending = [after]
        for case in node.cases:
            entering: list[State] = []
            missed: list[State] = []
            for before in pending:
                for tested, truth in _enters(frame, case, before, subject):
                    (entering if truth else missed).append(tested)
            for entered in join(frame, case.pattern, [Next(arm) for arm in entering]):
                completions += execute_suite(frame, case.body, entered)
            pending = missed
        completions += [Next(end) for end in pending]
    return completions


def _enters(
    frame: Frame, case: cst.MatchCase, state: State, subject: Value
) -> list[tuple[State, bool]]:
    """Return the states that enter a case (True), and that go on to the next one."""
    tested: list[tuple[State, bool]] = []
    for after, captures in match_pattern(frame, state, subject, case.pattern):
        if captures is None:
            tested.append((after, False))
            continue
        for name, value in captures.items():
            bind(frame, case, after, name, value)
        if case.guard is None:
            tested.append((after, True))
            continue
        for guarded, value in evaluate(frame, case.guard, after):
            tested += truths(frame, case.guard, guarded, value)
    return tested
