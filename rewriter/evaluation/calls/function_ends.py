"""How a specialised function ends: its outcomes, and what it returns to the caller."""

import ast
from collections.abc import Sequence

import libcst as cst

from rewriter.endings import close_path, node_of
from rewriter.evaluation.calls.call_results import Outcome, outcome_of
from rewriter.evaluation.calls.call_table import Specialisation
from rewriter.evaluation.calls.function_entries import Inside
from rewriter.evaluation.calls.kept_in_functions import require_kept_unchanged
from rewriter.evaluation.calls.written_arguments import contents_at, objects_at
from rewriter.evaluation.control.bodies import execute_body
from rewriter.evaluation.control.joining import merge
from rewriter.evaluation.run import Frame, active
from rewriter.flattening import Flattening, Roots
from rewriter.keeping.giving_back import give_back_hidden
from rewriter.merging import MANY_STRUCTURES
from rewriter.program import Return
from rewriter.state import State
from rewriter.values import Value

_NOTHING = ast.Constant(value=None)


End = tuple[Outcome, State]


def ends_of(
    callee: Frame, inside: Inside, function: Specialisation, *, any_length: bool
) -> list[End]:
    """Evaluate the body once; return its outcomes and the state that each ends with.

    ``any_length`` lets containers of other lengths be one, which exists at run time only.
    """
    run = callee.run
    callee.live, callee.statement = frozenset(), None
    callee.continuations.clear()
    callee.landing = callee.caught = frozenset()
    arrivals, raised = execute_body(callee, inside.state, inside.variables)
    origin = callee.origin(callee.source.node)
    structures = 1 if any_length else MANY_STRUCTURES
    any_size = function.any_size
    returned = merge(run, arrivals, origin, structures=structures, any_size=any_size)
    ends = [_end(callee, function, *end, raised=False) for end in returned]
    if not (run.protecting or run.plan.roots):
        with active(callee):
            for completion in raised:
                if run.risks.before is not None:
                    run.risks.before(completion.state, callee.origin(node_of(callee, completion)))
                close_path(callee, completion)
        return ends
    errors: list[tuple[State, tuple[Value, ...]]] = [(r.state, (r.exception,)) for r in raised]
    left = merge(run, errors, origin, any_size=any_size)
    ends += [_end(callee, function, *end, raised=True) for end in left]
    return ends


def _end(
    callee: Frame,
    function: Specialisation,
    state: State,
    values: tuple[Value, ...],
    *,
    raised: bool,
) -> End:
    run = callee.run
    origin = callee.origin(callee.source.node)
    if run.plan.roots:
        require_kept_unchanged(run, function.inside, state, origin)
    give_back_hidden(run, state, origin)
    state.handled = ()
    attributes = tuple(state.attributes)
    roots = Roots(
        frames=run.live_frames(),
        attributes=attributes,
        extra=values,
        any_size=function.any_size,
    )
    end = Flattening(state, roots).run()
    if end.frames - function.call.flattening.frames - {f.identity for f in run.frames}:
        callee.refuse(
            "DYCL026",
            callee.source.node,
            f"{callee.source.name}() is called again with other run-time values, and gives back "
            "or keeps a function that it defines",
            "return values instead of functions",
        )
    return outcome_of(run, end, objects_at(function, state), raised=raised), state


def close_ends(callee: Frame, function: Specialisation, ends: Sequence[End]) -> None:
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
        parts += map(joiner.leaf_expression, contents_at(function, state))
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
