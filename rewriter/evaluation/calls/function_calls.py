"""Whether a call of a user's function is inlined or becomes the call of a specialised one.

A call becomes one of a specialised function where inlining would never end (the call comes
back to itself, whatever was known), or would repeat much (a second call that looks the same,
of a body with many tests). Everything else is inlined: straight code then stays in one
sub-DNN with what surrounds it.
"""

from dataclasses import replace

import libcst as cst

from rewriter.evaluation.calls.abstract_calls import AbstractCall, abstract_call
from rewriter.evaluation.calls.call_table import (
    Activation,
    BecomeFunction,
    CallTable,
    Specialisation,
)
from rewriter.evaluation.calls.calling_functions import call_function
from rewriter.evaluation.calls.specialising import specialise
from rewriter.evaluation.control.bodies import execute_body
from rewriter.evaluation.control.joining import merge
from rewriter.evaluation.marks import Mark
from rewriter.evaluation.refusals import Refused, RefusedForGood, UsedPoison
from rewriter.evaluation.run import Frame, Outcomes, Run
from rewriter.state import State
from rewriter.values import Value

_MANY_TESTS = 8
"""Tests in a body from which on a second call of it is not inlined."""


def call_body(
    caller: Frame, node: cst.CSTNode, callee: Frame, state: State, variables: dict[str, Value]
) -> Outcomes:
    """Call a function whose frame and variables are there."""
    table = caller.run.calls
    call = abstract_call(callee, state, variables, table.widened)
    if call is None:
        return iter(_inlined(caller, node, callee, state, variables))
    function = table.specialisations.get(call.key)
    if function is None and call.key not in table.inlined_only:
        _require_progress(caller.run, call)
        if table.branches.get(call.key, 0) >= _MANY_TESTS:
            function = _tried(caller, node, callee, call)
    if function is not None:
        return call_function(caller, node, state, function, call)
    return _inlined_or_function(caller, node, callee, state, variables, call)


def _require_progress(run: Run, call: AbstractCall) -> None:
    """Raise BecomeFunction where a call that is being inlined comes back to itself."""
    same = run.calls.outermost(call)
    if same is not None:
        raise BecomeFunction(same)
    chain = run.calls.chain(call)
    if len(chain) < run.options.unroll or call.shape in run.calls.never_widened:
        return
    if run.branches > chain[0].branches:
        # As with a long loop over a range: tried with its numbers at run time.
        differing = frozenset[int]().union(*(call.differing(each.call) for each in chain))
        raise BecomeFunction(chain[0], differing)


def _inlined_or_function(
    caller: Frame,
    node: cst.CSTNode,
    callee: Frame,
    state: State,
    variables: dict[str, Value],
    call: AbstractCall,
) -> Outcomes:
    run, table = caller.run, caller.run.calls
    saved, mark = state.fork(state.block), Mark(run, state)
    activation = Activation(call=call, branches=run.branches)
    table.active.append(activation)
    try:
        outcomes = _inlined(caller, node, callee, state, variables)
    except BecomeFunction as request:
        if request.activation is not activation:
            raise
        mark.restore()
        widened = request.widened
    else:
        table.branches[call.key] = run.branches - activation.branches
        return iter(outcomes)
    finally:
        del table.active[mark.active :]
    if not widened:
        again = abstract_call(callee, saved, variables, table.widened)
        assert again is not None
        # Of a state that inlining has not changed; what it did to memory was undone, too.
        call = replace(again, memory=call.memory)
        function = _required(caller, node, callee, call)
        return call_function(caller, node, saved, function, call)
    made = _widened(caller, node, callee, saved, variables, call, widened)
    if made is not None:
        return call_function(caller, node, saved, *made)
    return call_body(caller, node, callee, saved, variables)


def _inlined(
    caller: Frame, node: cst.CSTNode, callee: Frame, state: State, variables: dict[str, Value]
) -> list[tuple[State, Value]]:
    """Evaluate a body where it is called; paths of one shape join at its end."""
    run = caller.run
    arrivals, raised = execute_body(callee, state, variables)
    run.sinks[-1].extend(raised)
    merged = merge(run, arrivals, caller.origin(node))
    return [(after, value) for after, (value,) in merged]


def _required(
    caller: Frame, node: cst.CSTNode, callee: Frame, call: AbstractCall
) -> Specialisation:
    """Return the function of a call that cannot be inlined."""
    function = specialise(caller, node, callee, call)
    if function is None:
        raise UsedPoison
    return function


def _tried(
    caller: Frame, node: cst.CSTNode, callee: Frame, call: AbstractCall
) -> Specialisation | None:
    """Return the function of a call that may as well be inlined, None where there is none."""
    run = caller.run
    diagnostics = len(run.diagnostics)
    try:
        function = specialise(caller, node, callee, call)
    except RefusedForGood:
        raise
    except (Refused, UsedPoison):
        function = None
    if function is None:
        del run.diagnostics[diagnostics:]
        run.calls.inlined_only.add(call.key)
    return function


def _widened(
    caller: Frame,
    node: cst.CSTNode,
    callee: Frame,
    state: State,
    variables: dict[str, Value],
    call: AbstractCall,
    positions: frozenset[int],
) -> tuple[Specialisation, AbstractCall] | None:
    """Return the function of a call with some known numbers given at run time."""
    table: CallTable = caller.run.calls
    table.widened[call.shape] = table.widened.get(call.shape, frozenset()) | positions
    general = abstract_call(callee, state, variables, table.widened)
    assert general is not None
    function = _tried(caller, node, callee, general)
    if function is None:
        del table.widened[call.shape]
        table.never_widened.add(call.shape)
        return None
    return function, general
