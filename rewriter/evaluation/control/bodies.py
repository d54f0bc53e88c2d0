"""Executing the body of a user's function, wherever its residual code goes."""

import libcst as cst

from rewriter.diagnostics import DyclBug
from rewriter.evaluation.control.statements import execute_suite
from rewriter.evaluation.dispatch import evaluate
from rewriter.evaluation.run import Frame, active
from rewriter.path_groups import Arrival
from rewriter.state import Broke, Continued, Next, Raised, Returned, State
from rewriter.values import NONE, Value


def execute_body(
    callee: Frame, state: State, variables: dict[str, Value]
) -> tuple[list[Arrival], list[Raised]]:
    """Return the states and values with which a function returns, and its exceptions."""
    run = callee.run
    state.frames[callee.identity] = dict(variables)
    sink: list[Raised] = []
    run.sinks.append(sink)
    arrivals: list[Arrival] = []
    try:
        with active(callee):
            body = callee.source.node.body
            if isinstance(body, cst.BaseExpression):
                callee.live = frozenset(variables)
                arrivals = [(after, (value,)) for after, value in evaluate(callee, body, state)]
            else:
                for completion in execute_suite(callee, body, state):
                    match completion:
                        case Returned():
                            arrivals.append((completion.state, (completion.value,)))
                        case Next():
                            arrivals.append((completion.state, (NONE,)))
                        case Raised():
                            sink.append(completion)
                        case Broke() | Continued():
                            raise DyclBug("a loop did not take its break or continue")
    finally:
        run.sinks.pop()
    if not callee.source.scope.encloses:
        for after, _ in arrivals:
            after.frames.pop(callee.identity, None)
    return arrivals, sink
