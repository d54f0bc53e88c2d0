"""A call as the body of an endless loop: every phase is entered, every end is described."""

import ast
from functools import partial

from rewriter.diagnostics import CompileError, Diagnostic
from rewriter.evaluation.calls.kept_in_functions import require_kept_unchanged
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.run import Frame, Run
from rewriter.keeping.arguments import give_back, lend
from rewriter.keeping.entering import Entering
from rewriter.keeping.giving_back import give_back_containers, lend_containers
from rewriter.keeping.leaving import changed, describe, initial_content, store
from rewriter.keeping.noting import state_table
from rewriter.keeping.plan import PHASE, StartAnew
from rewriter.keeping.shapes import Phase, Unkeepable, Unset
from rewriter.keeping.written_in_place import write_into_held
from rewriter.origin import Origin
from rewriter.state import Completion, Raised, Returned, State
from rewriter.values import Value

_NOT_STORED = "what is kept from call to call is not stored as it is here, should this raise"


def enter_phases(frame: Frame, state: State) -> list[State]:
    """Load what is kept; return a state for each phase that a call may begin in."""
    run, origin = frame.run, frame.origin(frame.source.node)
    plan = run.plan
    lend(run, state, origin)
    lend_containers(run, state)
    entered = _enter_phases(frame, state) if plan.roots else [state]
    if run.holders or run.containers.lent or plan.roots:
        run.risks.before = partial(_before_risk, run)
        run.risks.before_tensors = partial(_before_tensor_risk, run)
    return entered


def _enter_phases(frame: Frame, state: State) -> list[State]:
    run, origin = frame.run, frame.origin(frame.source.node)
    plan = run.plan
    run.residents = plan.residents()
    pending, entered = state, []
    for number in range(len(plan.phases)):
        here = pending
        if number + 1 < len(plan.phases):
            (here, _), (pending, _) = run.branch(pending, _is_in(frame, number), origin)
        here.phase = number
        entering = Entering(run, here, origin)
        entering.load(tuple(plan.roots.values()), plan.phases[number], state_table(run))
        entered.append(here)
    return entered


def _before_risk(run: Run, state: State, origin: Origin) -> None:
    """Store what is kept, as far as it was changed: the call may end here."""
    if _give_back_now(run, state, origin):
        _store_now(run, state, (), origin)


def _before_tensor_risk(run: Run, state: State, origin: Origin) -> None:
    """Do the same, but store nothing of a structure that calls do not begin with.

    Tensor code that may raise is common, and a call must be compiled for every structure that
    what is kept may have when it begins.
    """
    if _give_back_now(run, state, origin):
        try:
            phase = describe(run, run.plan, state, ())
            if run.plan.knows(phase) or _learn(run, phase, origin):
                store(run, run.plan, state, phase, origin)
        except Unkeepable:
            return


def _learn(run: Run, phase: Phase, origin: Origin) -> bool:
    """Let calls begin with what an error leaves, if that has a structure that they begin with."""
    plan = run.plan
    if plan.gives_up or plan.phase_number(phase) == len(plan.phases):
        return False
    if plan.on_errors.left_out:
        run.note(origin, _NOT_STORED)
        return False
    plan.on_errors.found = True
    run.state_is_new = plan.learn(phase) or run.state_is_new
    return True


def _give_back_now(run: Run, state: State, origin: Origin) -> bool:
    """Give back what is lent; return whether there is something to be stored, too."""
    give_back(run, state, origin)
    give_back_containers(run, state, origin, early=True)
    if run.containers.start is not None:
        require_kept_unchanged(run, run.containers.start, state, origin)
        return False
    write_into_held(run, state, origin)
    run.held.own_copies.clear()
    keys = {key for key in run.plan.roots if changed(run, state, key)}
    run.stored_early |= keys
    return bool(run.stored_early)


def _is_in(frame: Frame, number: int) -> ast.expr:
    table = state_table(frame.run)
    phase = ast.Subscript(value=table, slice=ast.Constant(value=PHASE), ctx=ast.Load())
    return ast.Compare(left=phase, ops=[ast.Eq()], comparators=[ast.Constant(value=number)])


def leave(frame: Frame, completion: Completion, origin: Origin) -> None:
    """Store what is kept at the end of a path; note how the state is left."""
    run, state = frame.run, completion.state
    give_back(run, state, origin)
    give_back_containers(run, state, origin, early=False)
    write_into_held(run, state, origin)
    if not run.plan.roots:
        return
    leaving: tuple[Value, ...] = ()
    match completion:
        case Returned():
            leaving = (completion.value,)
        case Raised():
            leaving = (completion.exception,)
        case _:
            pass
    _store_now(run, state, leaving, origin)


def _store_now(run: Run, state: State, leaving: tuple[Value, ...], origin: Origin) -> None:
    if run.plan.gives_up:
        raise StartAnew
    try:
        phase = describe(run, run.plan, state, leaving)
        run.state_is_new = run.plan.learn(phase) or run.state_is_new
        store(run, run.plan, state, phase, origin)
    except Unkeepable as error:
        raise Refused(_refusal(str(error), origin)) from error


def settle_state(frame: Frame) -> None:
    """Start anew if the ends of the call do not fit its entry; else fix the initial state."""
    run = frame.run
    if run.state_is_new:
        raise StartAnew
    for root in run.plan.roots.values():
        if not isinstance(root.initial, Unset):
            run.kept[root.name] = initial_content(root.initial)
    if len(run.plan.phases) > 1:
        run.kept[PHASE] = 0


def unkeepable(error: Unkeepable, origin: Origin) -> CompileError:
    """Return the refusal of a state that cannot be kept at all."""
    return CompileError([_refusal(str(error), origin)])


def _refusal(message: str, origin: Origin) -> Diagnostic:
    return Diagnostic(
        code="DYCL067",
        message=message,
        origin=origin,
        help="pass the state as an argument and return it",
    )
