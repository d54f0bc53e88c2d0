"""Statements: suites, ``if``, ``return`` and the small ones; where evaluation starts."""

import importlib

import libcst as cst
from libcst.helpers import get_full_name_for_node

from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.assignment import assign, delete
from rewriter.evaluation.augmented_assignment import assign_operator
from rewriter.evaluation.calls import call_value
from rewriter.evaluation.closures import closure, default_values
from rewriter.evaluation.dispatch import STATEMENTS, evaluate, statement_rule
from rewriter.evaluation.joining import merge
from rewriter.evaluation.names import bind
from rewriter.evaluation.refusals import Refused, RefusedForGood, UsedPoison
from rewriter.evaluation.rendering import NotMaterial
from rewriter.evaluation.run import Frame
from rewriter.evaluation.truth import truths
from rewriter.name_liveness import live_before, reads_first
from rewriter.rebuilding import settle
from rewriter.scope import target_names
from rewriter.sizes import UndecidedSize
from rewriter.state import Broke, Completion, Continued, Next, Raised, Returned, State
from rewriter.values import NONE, Known, Poison, Value


def execute_suite(frame: Frame, suite: cst.BaseSuite, state: State) -> list[Completion]:
    """Execute a block of statements; paths of one shape join after each statement."""
    body = list(suite.body)
    outer = frame.continuations[-1] if frame.continuations else frame.source.scope.captured
    captured = frame.source.scope.captured
    after = outer
    following: list[frozenset[str]] = []
    for statement in reversed(body):
        following.append(after)
        after = live_before([statement], after, captured)
    following.reverse()
    pending = [state]
    finished: list[Completion] = []
    previous = frame.live
    for statement, later in zip(body, following, strict=True):
        frame.live = reads_first(statement) | later
        frame.continuations.append(later)
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


def join(frame: Frame, node: cst.CSTNode, completions: list[Completion]) -> list[State]:
    """Merge the states that go on after a statement."""
    arrivals = [(c.state, ()) for c in completions if isinstance(c, Next)]
    if len(arrivals) < 2:
        states = [state for state, _ in arrivals]
    else:
        merged = merge(frame.run, list(arrivals), frame.origin(node))
        states = [state for state, _ in merged]
    if len(frame.run.frames) == 1:
        for state in states:
            settle(state, frame.run.live_frames())
    return states


_UNSUPPORTED: dict[type[cst.CSTNode], str] = {
    cst.ClassDef: "a class inside a function",
    cst.TryStar: "`try` with `except*`",
    cst.TypeAlias: "`type`",
}


def execute(frame: Frame, node: cst.CSTNode, state: State) -> list[Completion]:
    """Execute one statement; a refusal is recorded and the path goes on without it."""
    rule = STATEMENTS.get(type(node))
    frame.statement = node
    carried = state.on_the_way
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
        case _:
            pass
    for child in node.children:
        if not isinstance(child, cst.FunctionDef | cst.Lambda | cst.ClassDef):
            found += _targets(child)
    return found


@statement_rule(cst.SimpleStatementLine, cst.SimpleStatementSuite)
def line(
    frame: Frame, node: cst.SimpleStatementLine | cst.SimpleStatementSuite, state: State
) -> list[Completion]:
    """One line of small statements."""
    pending: list[State] = [state]
    finished: list[Completion] = []
    for small in node.body:
        completions = [c for before in pending for c in execute(frame, small, before)]
        finished += [c for c in completions if not isinstance(c, Next)]
        pending = [c.state for c in completions if isinstance(c, Next)]
    return [*finished, *(Next(end) for end in pending)]


@statement_rule(cst.Pass)
def pass_(frame: Frame, node: cst.Pass, state: State) -> list[Completion]:
    """``pass``."""
    del frame, node
    return [Next(state)]


@statement_rule(cst.Expr)
def expression_statement(frame: Frame, node: cst.Expr, state: State) -> list[Completion]:
    """An expression for its effects."""
    return [Next(after) for after, _ in evaluate(frame, node.value, state)]


@statement_rule(cst.Return)
def return_(frame: Frame, node: cst.Return, state: State) -> list[Completion]:
    """``return value``."""
    if node.value is None:
        return [Returned(state, NONE, node)]
    return [Returned(after, value, node) for after, value in evaluate(frame, node.value, state)]


@statement_rule(cst.Break)
def break_(frame: Frame, node: cst.Break, state: State) -> list[Completion]:
    """``break``."""
    del frame, node
    return [Broke(state)]


@statement_rule(cst.Continue)
def continue_(frame: Frame, node: cst.Continue, state: State) -> list[Completion]:
    """``continue``."""
    del frame, node
    return [Continued(state)]


@statement_rule(cst.If)
def if_(frame: Frame, node: cst.If, state: State) -> list[Completion]:
    """``if test: ... elif ...: ... else: ...``."""
    arms: dict[bool, list[State]] = {True: [], False: []}
    for after, value in evaluate(frame, node.test, state):
        for arm, truth in truths(frame, node.test, after, value):
            arms[truth].append(arm)
    completions: list[Completion] = []
    for truth, suite in ((True, node.body), (False, node.orelse)):
        states = join(frame, node.test, [Next(arm) for arm in arms[truth]])
        for arm in states:
            match suite:
                case None:
                    completions.append(Next(arm))
                case cst.If():
                    completions += execute(frame, suite, arm)
                case cst.Else():
                    completions += execute_suite(frame, suite.body, arm)
                case _:
                    completions += execute_suite(frame, suite, arm)
    return completions


@statement_rule(cst.Assign)
def assign_(frame: Frame, node: cst.Assign, state: State) -> list[Completion]:
    """``a = b = value``."""
    completions: list[Completion] = []
    for after, value in evaluate(frame, node.value, state):
        pending = [after]
        for target in node.targets:
            pending = [
                bound for before in pending for bound in assign(frame, target.target, before, value)
            ]
        completions += [Next(end) for end in pending]
    return completions


@statement_rule(cst.AnnAssign)
def annotated_assign(frame: Frame, node: cst.AnnAssign, state: State) -> list[Completion]:
    """``a: int = value``; the annotation is not evaluated, as in functions."""
    if node.value is None:
        return [Next(state)]
    return [
        Next(bound)
        for after, value in evaluate(frame, node.value, state)
        for bound in assign(frame, node.target, after, value)
    ]


@statement_rule(cst.AugAssign)
def augmented_assign(frame: Frame, node: cst.AugAssign, state: State) -> list[Completion]:
    """``a += value``."""
    return [Next(after) for after in assign_operator(frame, node, state)]


@statement_rule(cst.Del)
def delete_(frame: Frame, node: cst.Del, state: State) -> list[Completion]:
    """``del a, b[0]``."""
    return [Next(after) for after in delete(frame, node.target, state)]


@statement_rule(cst.Nonlocal, cst.Global)
def declaration(frame: Frame, node: cst.CSTNode, state: State) -> list[Completion]:
    """``nonlocal x``: no code of its own, see ``scope``."""
    del frame, node
    return [Next(state)]


@statement_rule(cst.FunctionDef)
def function_definition(frame: Frame, node: cst.FunctionDef, state: State) -> list[Completion]:
    """``def name(...): ...`` inside a function."""
    completions: list[Completion] = []
    for after, defaults in default_values(frame, node.params, state):
        function: Value = closure(frame, node, node.name.value, defaults)
        decorated = [(after, function)]
        for decorator in reversed(node.decorators):
            decorated = [
                (done, result)
                for before, made in decorated
                for evaluated, wrapper in evaluate(frame, decorator.decorator, before)
                for done, result in call_value(frame, decorator, evaluated, wrapper, [made], {})
            ]
        for done, result in decorated:
            bind(frame, node, done, node.name.value, result)
            completions.append(Next(done))
    return completions


@statement_rule(cst.Import)
def import_(frame: Frame, node: cst.Import, state: State) -> list[Completion]:
    """``import math`` inside a function."""
    for alias in node.names:
        module_name = alias.evaluated_name
        try:
            module = importlib.import_module(module_name)
        except ImportError as error:
            frame.run.raise_known(state, error)
            return []
        if alias.evaluated_alias is not None:
            bind(frame, node, state, alias.evaluated_alias, Known(module, module_name))
        else:
            root = module_name.partition(".")[0]
            bind(frame, node, state, root, Known(importlib.import_module(root), root))
    return [Next(state)]


@statement_rule(cst.ImportFrom)
def import_from(frame: Frame, node: cst.ImportFrom, state: State) -> list[Completion]:
    """``from math import sqrt`` inside a function."""
    if isinstance(node.names, cst.ImportStar):
        frame.refuse("DYCL001", node, "`import *` inside a function is not supported")
    module_name = "." * len(node.relative) + (
        (get_full_name_for_node(node.module) or "") if node.module is not None else ""
    )
    package = frame.globals.get("__package__")
    try:
        module = importlib.import_module(module_name, package if isinstance(package, str) else None)
        found = [(alias, getattr(module, alias.evaluated_name)) for alias in node.names]
    except (ImportError, AttributeError) as error:
        frame.run.raise_known(state, ImportError(str(error)))
        return []
    for alias, content in found:
        bind(frame, node, state, alias.evaluated_alias or alias.evaluated_name, Known(content))
    return [Next(state)]
