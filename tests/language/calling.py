"""One call of a program: what it returns, raises, prints and does to its inputs."""

import contextlib
import copy
import io
import signal
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from tests.language.arrays import to_numpy
from tests.language.harness import Case, Inputs


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one call did: its result or exception, what it printed, its inputs afterwards."""

    returned: Any
    raised: BaseException | None
    printed: str
    warned: tuple[str, ...]
    inputs: Any


def entry(case: Case, target: Any) -> Callable[..., Any]:
    """Return what a user would call."""
    function: Callable[..., Any] = target
    if case.method != "forward" and hasattr(target, case.method):
        function = getattr(target, case.method)
    return function


def call(function: Callable[..., Any], inputs: Inputs, case: Case) -> Outcome:
    """Call a function on inputs that it may change, and record everything it did."""
    returned, raised, printed = None, None, io.StringIO()
    with (
        torch.no_grad(),
        contextlib.redirect_stdout(printed),
        warnings.catch_warnings(record=True) as caught,
        time_limit(20),
    ):
        warnings.simplefilter("always")
        try:
            returned = function(**inputs) if isinstance(inputs, dict) else function(*inputs)
        except (Exception, TookTooLong) as error:
            raised = error
    return Outcome(
        returned=returned,
        raised=raised,
        printed=printed.getvalue(),
        warned=tuple(str(w.message) for w in caught if _is_compared(w)),
        inputs=inputs,
    )


def asked_before(candidate: Callable[..., Any], case: Case, *, on_host: bool) -> Callable[..., Any]:
    """Return a function that gives one by one what calls with all inputs have given."""
    results = []
    for inputs in case.inputs:
        given = copy.deepcopy(inputs)
        results.append(call(candidate, to_numpy(given, {}) if on_host else given, case))
    pending = iter(results)

    def again(*_: Any, **__: Any) -> Any:
        outcome = next(pending)
        print(outcome.printed, end="")
        if outcome.raised is not None:
            raise outcome.raised
        return outcome.returned

    return again


def _is_compared(warning: warnings.WarningMessage) -> bool:
    """Return whether a warning is the program's, or numpy's of what the program computes."""
    text = str(warning.message)
    return "corpus" in text or (warning.category is RuntimeWarning and " encountered in " in text)


class TookTooLong(BaseException):
    """No ``Exception``: libraries would take it for an error of what they were doing."""


@contextlib.contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Interrupt what takes longer, so that one endless loop does not stop the corpus.

    What counts is the time that the process computes: others may keep the machine busy.
    """

    def interrupt(*_: object) -> None:
        raise TookTooLong(f"computed for longer than {seconds} s")

    previous = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
