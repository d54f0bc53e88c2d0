"""What the ``try`` statements catch that a generator is in."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from rewriter.evaluation.control.exceptions import caught_by, guarding
from rewriter.evaluation.generators.generator_stack import Protected, Stack
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
