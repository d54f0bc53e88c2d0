"""A function of its own for calls that look the same: evaluated once, called again.

The function is evaluated from a state that holds what the call hands over, with a variable
for every argument. What its own recursive calls give is not known at first: they are taken
not to return, which leaves the paths that end the recursion; their outcomes are what the
calls are taken to give next, until nothing new is found.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import libcst as cst

from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.calls.abstract_calls import AbstractCall
from rewriter.evaluation.calls.call_results import Outcome, is_settled, joined
from rewriter.evaluation.calls.call_table import Specialisation
from rewriter.evaluation.calls.function_ends import close_ends, ends_of
from rewriter.evaluation.calls.function_entries import enter, parameters_of
from rewriter.evaluation.calls.growing_calls import require_no_growth
from rewriter.evaluation.calls.open_sizes import are_fixed, may_be_open
from rewriter.evaluation.calls.written_arguments import writable_arguments
from rewriter.evaluation.refusals import RefusedForGood
from rewriter.evaluation.run import Frame, Run
from rewriter.state import State

_MOST_ATTEMPTS = 12
_MOST_NESTED = 12
_FEW_LENGTHS = 5
"""Attempts after which containers that a function gives back may be of any length."""


def specialise(
    frame: Frame,
    node: cst.CSTNode,
    callee: Frame,
    call: AbstractCall,
    *,
    fixed: bool = False,
    repeated: bool = False,
) -> Specialisation | None:
    """Evaluate a function on its own, None where something in it is refused.

    What is refused has been reported then. Raises Refused where its calls have no settled
    outcomes. ``fixed`` says that what it takes and gives must be tensors of known sizes,
    ``repeated`` that it may as well be inlined, which writes into tensors at their place.
    """
    run, table = frame.run, frame.run.calls
    if call.sizes is not None and (fixed or not may_be_open(call.flattening.leaves)):
        frame.refuse(
            "DYCL075",
            node,
            "a tensor whose size is known only at run time enters a function that calls itself, "
            "or is called again: it must lie by rows, with no arrays of the host beside it",
        )
    require_no_growth(run, call)
    if len(table.evaluating) >= _MOST_NESTED:
        raise RefusedForGood(
            Diagnostic(
                code="DYCL023",
                message=f"recursive functions are nested deeper than {_MOST_NESTED}, each called "
                "with arguments of another structure or shape",
                origin=frame.origin(node),
                help="call them with arguments of one structure, or end the recursion at a depth "
                "known at compile time",
            )
        )
    table.counter += 1
    function = Specialisation(
        name=f"function_{table.counter}",
        hint=_hint(callee),
        call=call,
        keeper=run.new_identity(),
        inside=State(block=0),
        writable=frozenset() if repeated else writable_arguments(run, call),
    )
    table.specialisations[call.key] = function
    before = len(run.diagnostics)
    try:
        with _apart(run, function):
            _iterate(frame, node, callee, function, fixed=fixed)
    except BaseException:
        _drop(run, function)
        raise
    if len(run.diagnostics) > before:
        _drop(run, function)
        return None
    table.settle(function)
    return function


def _drop(run: Run, function: Specialisation) -> None:
    run.calls.forget(function)
    run.calls.specialisations.pop(function.call.key, None)


def _hint(callee: Frame) -> str:
    """Return a name for a function: that of its class where its own says nothing."""
    name = callee.source.name.rpartition(".")[2]
    if name in ("forward", "__call__", "<lambda>") and callee.owner is not None:
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", callee.owner.__name__).lower()
    name = name.strip("<>")
    return name if name.isidentifier() else "function"


@contextmanager
def _apart(run: Run, function: Specialisation) -> Iterator[None]:
    """While a function is evaluated, emit its code and find its frames apart from all others."""
    builder, frames, sinks, start = run.builder, run.frames, run.sinks, run.containers.start
    cleanups, run.risks.cleanups = run.risks.cleanups, []  # of the caller, who says them
    run.calls.evaluating.append(function)
    run.unbound_reads.append(set())
    try:
        yield
    finally:
        run.builder, run.frames, run.sinks, run.containers.start = builder, frames, sinks, start
        run.risks.cleanups = cleanups
        run.calls.evaluating.pop()
        function.unbound_reads = frozenset(run.unbound_reads.pop())


def _iterate(
    frame: Frame, node: cst.CSTNode, callee: Frame, function: Specialisation, *, fixed: bool
) -> None:
    run, before = frame.run, len(frame.run.diagnostics)
    outer = run.builder
    run.builder = outer.for_function()
    function.parameters = tuple(parameters_of(run, function.call))
    for attempt in range(_MOST_ATTEMPTS):
        del run.diagnostics[before:]
        run.builder = function.builder = outer.for_function()
        run.sinks = [[]]
        function.is_asked, written = False, function.written
        inside = enter(run, callee, function)
        function.entry = inside.state.block
        function.inside = inside.state.fork(function.entry)
        run.frames = list(inside.frames)
        run.containers.start = function.inside
        any_length = attempt >= _FEW_LENGTHS
        ends = ends_of(callee, inside, function, any_length=any_length)
        if function.written != written:
            function.outcomes = ()
            run.calls.forget(function)
            continue
        outcomes = [outcome for outcome, _ in ends]
        if not function.any_size and _have_open_sizes(outcomes, attempt):
            if fixed:
                break
            function.any_size, function.outcomes = True, ()
            run.calls.forget(function)
            continue
        if function.any_size and not all(may_be_open(o.end.leaves) for o in outcomes):
            break
        found = joined(function.outcomes, outcomes)
        settled = is_settled(function.outcomes, found)
        function.outcomes = _still_found(found, outcomes) if any_length else found
        settled = settled and len(function.outcomes) == len(found)
        if settled and not found and function.is_asked and not function.never_returns:
            function.never_returns = True  # not only for now
        elif settled or not function.is_asked:
            close_ends(callee, function, ends)
            return
        if attempt > 1 and len(run.diagnostics) > before:
            return  # what it gives back is not known where something was refused
        run.calls.forget(function)
    frame.refuse(
        "DYCL025",
        node,
        f"{callee.source.name}() calls itself until run-time values end it, and gives results "
        "of another structure or shape each time",
        "give results of one structure and shape, or end the recursion at a known depth",
    )


def _have_open_sizes(outcomes: Sequence[Outcome], attempt: int) -> bool:
    """Return whether what a function gives back has sizes of run time, or others each time."""
    if not all(are_fixed(outcome.end.leaves) for outcome in outcomes):
        return True
    return attempt == _FEW_LENGTHS and len(outcomes) > attempt


def _still_found(outcomes: tuple[Outcome, ...], now: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """Return outcomes without those that are no longer ones: known lengths, once any may be."""
    shapes = {outcome.shape for outcome in now}
    return tuple(outcome for outcome in outcomes if outcome.shape in shapes)
