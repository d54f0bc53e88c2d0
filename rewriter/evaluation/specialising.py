"""A function of its own for calls that look the same: evaluated once, called again.

The function is evaluated from a state that holds what the call hands over, with a variable
for every argument. What its own recursive calls give is not known at first: they are taken
not to return, which leaves the paths that end the recursion; their outcomes are what the
calls are taken to give next, until nothing new is found.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

import libcst as cst

from rewriter.builder import tensor_spec
from rewriter.diagnostics import Diagnostic
from rewriter.endings import close_path
from rewriter.evaluation.abstract_calls import AbstractCall, shared_names
from rewriter.evaluation.bodies import execute_body
from rewriter.evaluation.call_results import Outcome, is_settled, joined, outcome_of
from rewriter.evaluation.call_table import Specialisation
from rewriter.evaluation.joining import merge
from rewriter.evaluation.kept_in_functions import require_kept_unchanged
from rewriter.evaluation.refusals import RefusedForGood
from rewriter.evaluation.run import Frame, Run, active
from rewriter.flattening import Flattening, Roots
from rewriter.program import HostSpec, Return, ScalarSpec
from rewriter.rebuilding import substitute
from rewriter.size_expressions import is_fixed
from rewriter.state import State
from rewriter.values import HostValue, Known, Reference, ScalarValue, TensorValue, Value

_MOST_ATTEMPTS = 12
_MOST_NESTED = 12
_NOTHING = ast.Constant(value=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Inside:
    """Where a function's evaluation starts."""

    state: State
    variables: dict[str, Value]
    frames: tuple[Frame, ...]
    """The frames around the function, and one that keeps what the caller handed over."""


def specialise(
    frame: Frame, node: cst.CSTNode, callee: Frame, call: AbstractCall
) -> Specialisation | None:
    """Evaluate a function on its own, None where something in it is refused.

    What is refused has been reported then. Raises Refused where its calls have no settled
    outcomes.
    """
    run, table = frame.run, frame.run.calls
    if not _are_fixed(call.arguments):
        frame.refuse(
            "DYCL075",
            node,
            "a tensor whose size is known only at run time enters a function that calls itself, "
            "or is called again",
        )
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
    )
    table.specialisations[call.key] = function
    before = len(run.diagnostics)
    try:
        with _apart(run, function):
            _iterate(frame, node, callee, function)
    except BaseException:
        _drop(run, function)
        raise
    if len(run.diagnostics) > before:
        _drop(run, function)
        return None
    table.settle(function)
    return function


def _are_fixed(leaves: Sequence[Value]) -> bool:
    """Return whether the sizes of all tensors are known: symbols belong to one function."""
    return all(is_fixed(leaf.fake) for leaf in leaves if isinstance(leaf, TensorValue))


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
    builder, frames, sinks, before_risk = run.builder, run.frames, run.sinks, run.before_risk
    run.calls.evaluating.append(function)
    run.unbound_reads.append(set())
    try:
        yield
    finally:
        run.builder, run.frames, run.sinks, run.before_risk = builder, frames, sinks, before_risk
        run.calls.evaluating.pop()
        function.unbound_reads = frozenset(run.unbound_reads.pop())


def _iterate(frame: Frame, node: cst.CSTNode, callee: Frame, function: Specialisation) -> None:
    run, before = frame.run, len(frame.run.diagnostics)
    outer = run.builder
    run.builder = outer.for_function()
    function.parameters = tuple(_parameters(run, function.call))
    for attempt in range(_MOST_ATTEMPTS):
        del run.diagnostics[before:]
        run.builder = function.builder = outer.for_function()
        run.sinks = [[]]
        function.is_asked = False
        inside = _inside(run, callee, function)
        function.entry = inside.state.block
        function.inside = inside.state.fork(function.entry)
        run.frames = list(inside.frames)
        if run.plan.roots:
            run.before_risk = partial(require_kept_unchanged, run, function.inside)
        ends = _ends(callee, inside, function)
        if not all(_are_fixed(outcome.end.leaves) for outcome, _ in ends):
            break
        found = joined(function.outcomes, [outcome for outcome, _ in ends])
        settled = is_settled(function.outcomes, found)
        function.outcomes = found
        if settled and not found and function.is_asked and not function.never_returns:
            function.never_returns = True  # not only for now
        elif settled or not function.is_asked:
            _close(callee, function, ends)
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


def _parameters(run: Run, call: AbstractCall) -> Iterator[Value]:
    """Yield a value with a variable of its own for every argument."""
    groups: dict[int, TensorValue] = {}
    for argument, hint in zip(call.arguments, call.hints, strict=True):
        match argument:
            case TensorValue():
                made = _tensor_parameter(run, argument, hint)
                other = groups.setdefault(run.storages.group(argument.fake), made)
                run.storages.relate(made.fake, other.fake)
                yield made
            case ScalarValue():
                spec = ScalarSpec(type=argument.type)
                yield ScalarValue(run.builder.variable(hint, spec), argument.type)
            case Known():
                kind = type(argument.value)
                yield ScalarValue(run.builder.variable(hint, ScalarSpec(type=kind)), kind)
            case HostValue():
                known = run.builder.variables[argument.name].spec
                described = HostSpec(description=type(argument.sample).__name__)
                spec_of = known if isinstance(known, HostSpec) else described
                yield HostValue(run.builder.variable(hint, spec_of), argument.sample)
            case _:
                raise AssertionError(f"not an argument: {argument}")


def _tensor_parameter(run: Run, argument: TensorValue, hint: str) -> TensorValue:
    """Return a tensor parameter: an object of the caller's, never written to."""
    name = run.builder.variable(hint, tensor_spec(argument.fake))
    fake = run.storages.fresh_like(argument.fake)
    run.storages.mark_lasting(fake)
    if run.storages.may_be_exported(argument.fake):
        run.storages.export(fake)
    run.storages.flag(name, run.storages.flags(argument.name) | {"callers"})
    return TensorValue(name, fake)


def _inside(run: Run, callee: Frame, function: Specialisation) -> _Inside:
    """Return the state that the function starts from."""
    call = function.call
    leaves = [
        leaf if slot is None else function.parameters[slot]
        for leaf, slot in zip(call.flattening.leaves, call.slots, strict=True)
    ]
    state, values = substitute(call.flattening, leaves, run.builder.new_block())
    state.facts, state.reads, state.on_the_way = {}, {}, ()
    state.size_facts, state.sizes = frozenset(), {}
    held = {str(identity): Reference(identity) for identity in call.flattening.cells}
    keeper = replace(
        callee, identity=function.keeper, live=frozenset(held), lexical=(), continuations=[]
    )
    state.frames[keeper.identity] = dict(held)
    around = [replace(outer, live=shared_names(outer.source)) for outer in callee.lexical]
    reached = call.flattening.frames - {outer.identity for outer in callee.lexical}
    for identity in sorted(reached):  # of functions that are handed over
        outer = run.lexical[identity]
        names = frozenset(state.frames[identity]) | outer.source.scope.local
        around.append(replace(outer, live=names))
    return _Inside(
        state=state,
        variables=dict(zip(call.flattening.roots.hints, values, strict=True)),
        frames=(keeper, *reversed(around)),
    )


_End = tuple[Outcome, State]


def _ends(callee: Frame, inside: _Inside, function: Specialisation) -> list[_End]:
    """Evaluate the body once; return its outcomes and the state that each ends with."""
    run = callee.run
    callee.live, callee.statement = frozenset(), None
    callee.continuations.clear()
    arrivals, raised = execute_body(callee, inside.state, inside.variables)
    origin = callee.origin(callee.source.node)
    ends = [_end(callee, function, *end, raised=False) for end in merge(run, arrivals, origin)]
    if not (run.protecting or run.plan.roots):
        with active(callee):
            for completion in raised:
                close_path(callee, completion)
        return ends
    errors: list[tuple[State, tuple[Value, ...]]] = [(r.state, (r.exception,)) for r in raised]
    ends += [_end(callee, function, *end, raised=True) for end in merge(run, errors, origin)]
    return ends


def _end(
    callee: Frame,
    function: Specialisation,
    state: State,
    values: tuple[Value, ...],
    *,
    raised: bool,
) -> _End:
    run = callee.run
    if run.plan.roots:
        origin = callee.origin(callee.source.node)
        require_kept_unchanged(run, function.inside, state, origin)
    state.handled = ()
    attributes = tuple(state.attributes)
    roots = Roots(frames=run.live_frames(), attributes=attributes, extra=values)
    end = Flattening(state, roots).run()
    if end.frames - function.call.flattening.frames - {f.identity for f in run.frames}:
        callee.refuse(
            "DYCL026",
            callee.source.node,
            f"{callee.source.name}() is called again with other run-time values, and gives back "
            "or keeps a function that it defines",
            "return values instead of functions",
        )
    return outcome_of(run, end, function.parameters, raised=raised), state


def _close(callee: Frame, function: Specialisation, ends: Sequence[_End]) -> None:
    """Return, at every end, what the caller does not have."""
    run = callee.run
    joiner = run.leaf_joiner()
    order = {outcome.shape: index for index, outcome in enumerate(function.outcomes)}
    body = callee.source.node.body
    last = body.body[-1] if isinstance(body, cst.BaseSuite) else body
    origin = callee.origin(last)
    for own, state in ends:
        number = order[own.shape]
        parts: list[ast.expr] = []
        for index, outcome in enumerate(function.outcomes):
            for position in outcome.returned:
                leaf = own.end.leaves[position] if index == number else None
                parts.append(_NOTHING if leaf is None else joiner.leaf_expression(leaf))
        if len(function.outcomes) > 1:
            parts.insert(0, ast.Constant(value=number))
        run.builder.close(state.block, Return(value=_packed(parts), origin=origin))


def _packed(parts: list[ast.expr]) -> ast.expr:
    match parts:
        case []:
            return _NOTHING
        case [part]:
            return part
        case _:
            return ast.Tuple(elts=parts, ctx=ast.Load())
