"""What ``finally`` clauses and managers do after errors that nothing in the program catches.

While the body of such a statement is evaluated, ``Risks.cleanups`` says what it would do: what
may raise in the body asks for it (``host/before_errors.py``).
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.control.looking_at_errors import ignores_error
from rewriter.evaluation.control.statements import execute_suite
from rewriter.evaluation.control.tracebacks import told_of
from rewriter.evaluation.host.before_errors import all_done
from rewriter.evaluation.run import Frame
from rewriter.state import Completion, Next, Raised, State
from rewriter.values import Known, MethodValue, Value

Ending = Callable[[State], list[Completion]]
"""Does what a statement does after an error, up to where the error goes on."""

SOME_ERROR = Known(RuntimeError("an error that nothing catches"))
"""Stands for the error: only what does not look at it is evaluated with it."""

_OF_RUN = ("guarded", "guarded_tensors", "guarded_indices", "guarded_blindly", "seen_indices",
           "guarded_depth", "counted_depth", "protecting")  # fmt: skip
_LISTS_OF_RUN = ("frames", "grad_modes", "warning_scopes", "numpy_errors", "autocasts")
_OF_FRAME = ("landing", "caught", "live", "comprehension", "statement", "carried")
_UNCLEAR = "what this does after an error that nothing in the program catches cannot be told"


@dataclass(frozen=True, slots=True)
class Cleanup:
    """What a statement does after an error, under what is set around it."""

    frame: Frame
    node: cst.CSTNode
    ending: Ending
    around: tuple[Any, ...]

    def __call__(self, state: State) -> list[State]:
        """Evaluate it; return the states that it ends with, none where something is refused."""
        run = self.frame.run
        before, cleanups = _surroundings(self.frame), run.risks.cleanups
        sink: list[Raised] = []
        _set(self.frame, self.around)
        run.risks.cleanups = []
        run.risks.cleaning += 1
        run.sinks.append(sink)
        try:
            ends = self.ending(state)
        finally:
            run.sinks.pop()
            run.risks.cleaning -= 1
            run.risks.cleanups = cleanups
            _set(self.frame, before)
        if sink or not all(isinstance(end, Next) for end in ends):
            self.frame.refuse("DYCL063", self.node, _UNCLEAR, "test values before the body")
        return [end.state for end in ends]


@contextlib.contextmanager
def cleaning_up(frame: Frame, node: cst.CSTNode, ending: Ending) -> Iterator[None]:
    """While a body is evaluated, say what is done after its errors."""
    cleanups = frame.run.risks.cleanups
    cleanups.append(Cleanup(frame, node, ending, _surroundings(frame)))
    try:
        yield
    finally:
        cleanups.pop()


def after_body(
    frame: Frame, node: cst.CSTNode, completions: list[Completion], announced: int
) -> list[Completion]:
    """Say at the ends of a body that its errors are over; ``announced`` as when it began."""
    states = [completion.state for completion in completions]
    all_done(frame.run, states, frame.origin(node), announced)
    return completions


def clause(frame: Frame, finalbody: cst.Finally) -> Ending:
    """Return what a ``finally`` clause does."""
    return lambda state: execute_suite(frame, finalbody.body, state)


def exit_method(frame: Frame, node: cst.CSTNode, leave: MethodValue) -> Ending:
    """Return what an ``__exit__`` does that lets errors pass."""

    def ending(state: State) -> list[Completion]:
        require_ignored(frame, node, state, SOME_ERROR, leave)
        given = told_of(type(SOME_ERROR.value), SOME_ERROR)
        return [Next(after) for after, _ in call_value(frame, node, state, leave, given, {})]

    return ending


def passing(leave: Callable[[Raised], list[Completion]]) -> Ending:
    """Return what is done on the way of an error that goes on afterwards."""

    def ending(state: State) -> list[Completion]:
        return [
            Next(end.state) if isinstance(end, Raised) and end.exception is SOME_ERROR else end
            for end in leave(Raised(state, SOME_ERROR))
        ]

    return ending


def require_ignored(
    frame: Frame, node: cst.CSTNode, state: State, error: Value, leave: MethodValue
) -> None:
    """Refuse an ``__exit__`` that looks at an error of which nothing is known."""
    if error is SOME_ERROR and not ignores_error(state, leave):
        frame.refuse("DYCL063", node, _UNCLEAR, "test values before the body")


def _surroundings(frame: Frame) -> tuple[Any, ...]:
    run = frame.run
    return (
        [getattr(run, name) for name in _OF_RUN],
        [list(getattr(run, name)) for name in _LISTS_OF_RUN],
        [getattr(frame, name) for name in _OF_FRAME],
        list(frame.continuations),
    )


def _set(frame: Frame, around: tuple[Any, ...]) -> None:
    of_run, lists, of_frame, continuations = around
    for name, value in zip(_OF_RUN, of_run, strict=True):
        setattr(frame.run, name, value)
    for name, items in zip(_LISTS_OF_RUN, lists, strict=True):
        getattr(frame.run, name)[:] = items
    for name, value in zip(_OF_FRAME, of_frame, strict=True):
        setattr(frame, name, value)
    frame.continuations[:] = continuations
