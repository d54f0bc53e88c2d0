"""What the ``try`` statements catch that a generator is in, and how long it may go on."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import libcst as cst

from rewriter.evaluation.builtin_functions.combined_iterators import never_ends
from rewriter.evaluation.containers.lazy_iterators import MOST_ENDS, refuse_becoming_run_time
from rewriter.evaluation.control.exceptions import caught_by, guarding
from rewriter.evaluation.generators.generator_stack import Protected, Stack, Step, hidden_name
from rewriter.evaluation.run import Frame
from rewriter.state import State


@contextmanager
def guarded_by(frame: Frame, state: State, stack: Stack) -> Iterator[None]:
    """While code inside of ``try`` statements is executed, say what they catch."""
    with ExitStack() as open_statements:
        for item in stack:
            if isinstance(item, Protected):
                caught = caught_by(frame, state, item.node)
                open_statements.enter_context(guarding(frame, caught))
        yield


def has_no_end(frame: Frame, state: State) -> Callable[[cst.For], bool]:
    """Return what says whether a generator's loop walks something without end."""
    variables = state.frames[frame.identity]
    return lambda node: never_ends(state, variables[hidden_name(node)])


def require_few_steps(frame: Frame, steps: Sequence[Step]) -> None:
    """Refuse a generator that goes on for nobody knows how long before it gives its next item."""
    if len(steps) > MOST_ENDS:
        refuse_becoming_run_time(frame, frame.source.node)
