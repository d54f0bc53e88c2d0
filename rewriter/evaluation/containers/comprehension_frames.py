"""What comprehensions and generator expressions have in common: a scope, filters and rows."""

from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.dispatch import evaluate
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.run import Frame
from rewriter.scope import names_read
from rewriter.source import FunctionSource
from rewriter.state import State
from rewriter.values import Value


def scope_within(frame: Frame, source: FunctionSource) -> Frame:
    """Return a scope that lies in another one, whose variables it sees."""
    run = frame.run
    inner = Frame(
        run=run,
        identity=run.new_identity(),
        source=source,
        lexical=(frame, *frame.lexical),
        globals=frame.globals,
        closure=frame.closure,
        inlined_at=frame.inlined_at,
        owner=frame.owner,
        receiver=frame.receiver,
    )
    run.lexical[inner.identity] = inner
    return inner


def comprehension_frame(
    frame: Frame, node: cst.BaseComp, state: State, hidden: frozenset[str] = frozenset()
) -> Frame:
    """Return the scope of a comprehension; ``hidden`` are names of the evaluator's own."""
    inner = scope_within(frame, frame.source)
    inner.live, inner.comprehension = names_read(node) | hidden, True
    state.frames[inner.identity] = {}
    return inner


def filtered(
    frame: Frame, conditions: list[cst.CompIf], state: State
) -> Iterator[tuple[State, bool]]:
    """Evaluate the filters of a clause."""
    if not conditions:
        yield state, True
        return
    first, *rest = conditions
    for after, value in evaluate(frame, first.test, state):
        for tested, truth in truths(frame, first.test, after, value):
            if truth:
                yield from filtered(frame, rest, tested)
            else:
                yield tested, False


def row_of(
    frame: Frame, results: list[cst.BaseExpression], state: State
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    """Evaluate what a comprehension makes of one item."""
    if not results:
        yield state, ()
        return
    for after, first in evaluate(frame, results[0], state):
        for done, rest in row_of(frame, results[1:], after):
            yield done, (first, *rest)
