"""Executing statements: suites, joins after each statement, what a refusal leaves."""

from collections.abc import Sequence

import libcst as cst

from rewriter.descendants import children_of
from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.control.joining import merge
from rewriter.evaluation.dispatch import STATEMENTS
from rewriter.evaluation.refusals import Refused, RefusedForGood, UsedPoison
from rewriter.evaluation.rendering import NotMaterial
from rewriter.evaluation.run import Frame
from rewriter.merging import MANY_STRUCTURES
from rewriter.name_liveness import jumps, live_before, reads_first
from rewriter.rebuilding import settle
from rewriter.scope import target_names
from rewriter.sizes import UndecidedSize
from rewriter.state import Completion, Next, Raised, State
from rewriter.values import Poison


def execute_suite(
    frame: Frame, suite: cst.BaseSuite | cst.SimpleStatementLine, state: State
) -> list[Completion]:
    """Execute a block, or a line, of statements; paths of one shape join after each statement."""
    body = list(suite.body)
    kept = frame.source.scope.captured | frame.source.scope.read_by_super
    after = frame.continuations[-1] if frame.continuations else kept
    following: list[tuple[frozenset[str], frozenset[str]]] = []
    for statement in reversed(body):
        elsewhere = frame.caught | (frame.landing if jumps(statement) else frozenset())
        following.append((after, after | elsewhere))
        after = live_before([statement], after, kept) | elsewhere
    following.reverse()
    pending = [state]
    finished: list[Completion] = []
    previous = frame.live
    for statement, (later, anywhere) in zip(body, following, strict=True):
        frame.live = reads_first(statement) | anywhere
        frame.continuations.append(anywhere)
        try:
            completions = [c for before in pending for c in execute(frame, statement, before)]
        finally:
            frame.continuations.pop()
        finished += [c for c in completions if not isinstance(c, Next)]
        frame.live = later
        pending = join(frame, statement, completions)
        if not pending:
            break
    frame.live = previous
    return [*finished, *(Next(end) for end in pending)]


def join(
    frame: Frame,
    node: cst.CSTNode,
    completions: Sequence[Completion],
    *,
    open_sizes: bool = False,
    any_size: bool = False,
    structures: int = MANY_STRUCTURES,
) -> list[State]:
    """Merge the states that go on after a statement.

    ``open_sizes`` lets sizes differ that are symbols on each path: they become new symbols;
    ``any_size`` lets all sizes differ; from more than ``structures`` shapes on, containers may
    become run-time containers.
    """
    arrivals = [(c.state, ()) for c in completions if isinstance(c, Next)]
    if len(arrivals) < 2:
        states = [state for state, _ in arrivals]
    else:
        merged = merge(
            frame.run,
            list(arrivals),
            frame.origin(node),
            open_sizes=open_sizes,
            any_size=any_size,
            structures=structures,
        )
        states = [state for state, _ in merged]
    if len(frame.run.frames) == 1:
        for state in states:
            settle(state, frame.run.live_frames())
    return states


_UNSUPPORTED: dict[type[cst.CSTNode], str] = {
    cst.TryStar: "`try` with `except*`",
    cst.TypeAlias: "`type`",
}


def execute(frame: Frame, node: cst.CSTNode, state: State) -> list[Completion]:
    """Execute one statement; a refusal is recorded and the path goes on without it."""
    rule = STATEMENTS.get(type(node))
    frame.run.refusal.count(frame.run.diagnostics, state.places)
    frame.statement = node
    carried = frame.carried = state.on_the_way
    sink: list[Raised] = []
    frame.run.sinks.append(sink)
    try:
        if rule is None:
            name = _UNSUPPORTED.get(type(node), f"a {type(node).__name__} statement")
            frame.refuse("DYCL001", node, f"{name} is not supported")
        completions = rule(frame, node, state)
    except RefusedForGood:
        raise
    except Refused as refusal:
        frame.run.report(refusal.diagnostic)
        completions = [Next(_poisoned(frame, node, state))]
    except NotMaterial as error:
        message = f"{error.reason} is used in a way that is not supported"
        origin = frame.origin(node)
        frame.run.report(Diagnostic(code="DYCL059", message=message, origin=origin))
        completions = [Next(_poisoned(frame, node, state))]
    except UndecidedSize as error:
        message = f"this depends on sizes known only at run time: {error.cond}"
        origin = frame.origin(node)
        frame.run.report(Diagnostic(code="DYCL075", message=message, origin=origin))
        completions = [Next(_poisoned(frame, node, state))]
    except UsedPoison:
        completions = [Next(_poisoned(frame, node, state))]
    finally:
        frame.run.sinks.pop()
    completions = [*completions, *(Raised(r.state, r.exception, r.node or node) for r in sink)]
    for completion in completions:
        completion.state.on_the_way = carried
    return completions


def _poisoned(frame: Frame, node: cst.CSTNode, state: State) -> State:
    """Return a state in which all that the statement would bind is unusable."""
    after = state.fork(frame.run.builder.new_block())
    for child in _targets(node):
        after.frames[frame.identity][child] = Poison()
    return after


def _targets(node: cst.CSTNode) -> list[str]:
    found: list[str] = []
    match node:
        case cst.AssignTarget(target=target) | cst.AnnAssign(target=target):
            found += target_names(target)
        case cst.AugAssign(target=target) | cst.For(target=target):
            found += target_names(target)
        case cst.ClassDef(name=name):
            found.append(name.value)
        case _:
            pass
    for child in children_of(node):
        if not isinstance(child, cst.FunctionDef | cst.Lambda | cst.ClassDef):
            found += _targets(child)
    return found
