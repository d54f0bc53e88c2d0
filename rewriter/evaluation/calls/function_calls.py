"""Whether a call of a user's function is inlined or becomes the call of a specialised one.

A call becomes one of a specialised function where inlining would never end (the call comes
back to itself, whatever was known), or would repeat much (a second call that looks the same,
of a body with many tests). Everything else is inlined: straight code then stays in one
sub-DNN with what surrounds it.
"""

from collections.abc import Mapping
from dataclasses import replace

import libcst as cst

from rewriter.evaluation.calls.abstract_calls import AbstractCall, abstract_call
from rewriter.evaluation.calls.call_table import (
    Activation,
    BecomeFunction,
    CallTable,
    GrowsWithin,
    Growth,
    Specialisation,
)
from rewriter.evaluation.calls.calling_functions import call_function
from rewriter.evaluation.calls.growing_calls import growth_in, let_grow, places_of
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
        _require_progress(caller.run, call, state, variables)
        if table.branches.get(call.key, 0) >= _MANY_TESTS:
            function = _tried_again(caller, node, callee, call)
    if function is not None:
        return call_function(caller, node, state, function, call)
    return _inlined_or_function(caller, node, callee, state, variables, call)


def _require_progress(
    run: Run, call: AbstractCall, state: State, variables: Mapping[str, Value]
) -> None:
    """Raise BecomeFunction where a call that is being inlined comes back to itself."""
    same = run.calls.outermost(call)
    if same is not None:
        raise BecomeFunction(same)
    grown = growth_in(run, call, state, variables)
    if grown is not None:
        outer, growth = grown
        raise BecomeFunction(outer, growth=growth)
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
    activation = Activation(
        call=call,
        branches=run.branches,
        state=saved,
        variables=variables,
        frame=callee.identity,
    )
    table.active.append(activation)
    try:
        outcomes = _inlined(caller, node, callee, state, variables)
    except BecomeFunction as request:
        if request.activation is not activation:
            raise
        asked = request
    except GrowsWithin as growing:
        if not table.may_grow(growing, call):
            raise
        asked = BecomeFunction(activation, growth=growing.growth)
    else:
        table.branches[call.key] = run.branches - activation.branches
        return iter(outcomes)
    finally:
        del table.active[mark.active :]
    mark.restore()
    return _as_function(caller, node, callee, saved, variables, call, asked)


def _as_function(
    caller: Frame,
    node: cst.CSTNode,
    callee: Frame,
    state: State,
    variables: dict[str, Value],
    call: AbstractCall,
    asked: BecomeFunction,
) -> Outcomes:
    """Call a function where inlining the call was given up, or inline it after all."""
    table = caller.run.calls
    growth = asked.growth
    if growth is None and not asked.widened:
        again = abstract_call(callee, state, variables, table.widened)
        assert again is not None
        # Of a state that inlining has not changed; what it did to memory was undone, too.
        same = replace(again, memory=call.memory)
        try:
            function = _required(caller, node, callee, same)
        except GrowsWithin as growing:
            if not table.may_grow(growing, call):
                raise
            growth = growing.growth
        else:
            return call_function(caller, node, state, function, same)
    if growth is not None:
        return _grown(caller, node, callee, state, variables, call, growth)
    made = _widened(caller, node, callee, state, variables, call, asked.widened)
    if made is not None:
        return call_function(caller, node, state, *made)
    return call_body(caller, node, callee, state, variables)


def _grown(
    caller: Frame,
    node: cst.CSTNode,
    callee: Frame,
    state: State,
    variables: dict[str, Value],
    call: AbstractCall,
    growth: Growth,
) -> Outcomes:
    """Call a function that takes what grew as of any length; inline it where that is refused."""
    run, mark, longer = caller.run, Mark(caller.run, state), state.fork(state.block)
    try:
        given = let_grow(caller, node, longer, variables, growth.containers)
        made = None if given is None else _any(caller, node, callee, longer, given, growth)
    except (Refused, UsedPoison):
        made = None
    except GrowsWithin as growing:
        if not run.calls.may_grow(growing, call):
            raise
        more = growing.growth.containers
        if not more.keys() <= growth.containers.keys():
            mark.restore()
            both = replace(growth, containers={**growth.containers, **more})
            return _grown(caller, node, callee, state, variables, call, both)
        made = None
    if made is not None:
        return call_function(caller, node, longer, *made)
    mark.restore()
    run.calls.never_grown.add(call.function)
    return call_body(caller, node, callee, state, variables)


def _any(
    caller: Frame,
    node: cst.CSTNode,
    callee: Frame,
    state: State,
    variables: dict[str, Value],
    growth: Growth,
) -> tuple[Specialisation, AbstractCall] | None:
    """Return the function of a call whose containers may be of any length, and that call."""
    call = abstract_call(callee, state, variables, caller.run.calls.widened)
    if call is None:
        return None
    if growth.numbers:
        numbers = places_of(call, growth.numbers)
        return _widened(caller, node, callee, state, variables, call, numbers)
    function = _tried(caller, node, callee, call)
    return None if function is None else (function, call)


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
    caller: Frame,
    node: cst.CSTNode,
    callee: Frame,
    call: AbstractCall,
    *,
    fixed: bool = False,
    repeated: bool = False,
) -> Specialisation | None:
    """Return the function of a call that may as well be inlined, None where there is none."""
    run = caller.run
    diagnostics = len(run.diagnostics)
    try:
        function = specialise(caller, node, callee, call, fixed=fixed, repeated=repeated)
    except RefusedForGood:
        raise
    except (Refused, UsedPoison):
        function = None
    if function is None:
        del run.diagnostics[diagnostics:]
        run.calls.inlined_only.add(call.key)
    return function


def _tried_again(
    caller: Frame, node: cst.CSTNode, callee: Frame, call: AbstractCall
) -> Specialisation | None:
    """Return the function of a call that looks like an earlier one, if it can be one as it is.

    Inlined, it may know more of the sizes of what it gives.
    """
    try:
        return _tried(caller, node, callee, call, fixed=True, repeated=True)
    except GrowsWithin as growing:
        if caller.run.calls.evaluations(growing.function):
            raise
        caller.run.calls.inlined_only.add(call.key)
        return None


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
    function = _tried(caller, node, callee, general, fixed=general.sizes is not None)
    if function is None:
        del table.widened[call.shape]
        table.never_widened.add(call.shape)
        return None
    return function, general
