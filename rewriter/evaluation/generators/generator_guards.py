"""What ``try`` and ``with`` catch and set around a generator, and how long it may go on."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial

import libcst as cst
import torch

from rewriter.evaluation.builtin_functions.combined_iterators import never_ends
from rewriter.evaluation.containers.lazy_iterators import MOST_ENDS, refuse_becoming_run_time
from rewriter.evaluation.control.cleanups import clause, cleaning_up, passing
from rewriter.evaluation.control.exceptions import caught_by, looked_at
from rewriter.evaluation.control.guarding import guarding
from rewriter.evaluation.control.neutral_managers import is_neutral
from rewriter.evaluation.generators.generator_stack import (
    Concluding,
    Managed,
    Protected,
    Stack,
    Step,
    hidden_name,
    manager_of,
)
from rewriter.evaluation.generators.managers_around import leave_manager, managed_by
from rewriter.evaluation.run import Frame, Run
from rewriter.state import State
from rewriter.values import Reference


@contextmanager
def guarded_by(frame: Frame, state: State, stack: Stack) -> Iterator[None]:
    """While code inside of ``try`` and ``with`` is executed, say what they catch and set."""
    with ExitStack() as open_statements:
        for item in stack:
            match item:
                case Protected():
                    caught = caught_by(frame, state, item.node)
                    _clean_up(frame, item.node, open_statements)
                    open_statements.enter_context(
                        guarding(frame, caught, looked=looked_at(item.node, caught))
                    )
                case Concluding() if item.node.finalbody is not None:
                    _clean_up(frame, item.node, open_statements)
                    open_statements.enter_context(guarding(frame, [(BaseException,)], looked=[]))
                case Managed():
                    manager = manager_of(frame, state, item)
                    if not is_neutral(state, manager):
                        ending = passing(partial(leave_manager, frame, item.item))
                        open_statements.enter_context(cleaning_up(frame, item.item, ending))
                    open_statements.enter_context(managed_by(frame, state, manager))
        yield


def _clean_up(frame: Frame, node: cst.Try, open_statements: ExitStack) -> None:
    if node.finalbody is not None:
        ending = clause(frame, node.finalbody)
        open_statements.enter_context(cleaning_up(frame, node, ending))


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is set around a generator that goes on."""

    frame: Frame
    grad_modes: tuple[bool, ...]
    warning_scopes: tuple[Reference, ...]
    numpy_errors: tuple[dict[str, str], ...]
    autocasts: tuple[torch.autocast, ...]

    @classmethod
    def of(cls, frame: Frame) -> "Surroundings":
        """Return what is set now."""
        run = frame.run
        modes, scopes = tuple(run.grad_modes), tuple(run.warning_scopes)
        return cls(frame, modes, scopes, tuple(run.numpy_errors), tuple(run.autocasts))

    @contextmanager
    def within(self, state: State, stack: Stack) -> Iterator[None]:
        """While a statement is left, say what is set and caught around it: nothing of its own."""
        run, before = self.frame.run, Surroundings.of(self.frame)
        self._set(run)
        try:
            with guarded_by(self.frame, state, stack):
                yield
        finally:
            before._set(run)

    def _set(self, run: Run) -> None:
        run.grad_modes[:] = self.grad_modes
        run.warning_scopes[:] = self.warning_scopes
        run.numpy_errors[:] = self.numpy_errors
        run.autocasts[:] = self.autocasts


def has_no_end(frame: Frame, state: State) -> Callable[[cst.For], bool]:
    """Return what says whether a generator's loop walks something without end."""
    variables = state.frames[frame.identity]
    return lambda node: never_ends(state, variables[hidden_name(node)])


def require_few_steps(frame: Frame, steps: Sequence[Step]) -> None:
    """Refuse a generator that goes on for nobody knows how long before it gives its next item."""
    if len(steps) > MOST_ENDS:
        refuse_becoming_run_time(frame, frame.source.node)
