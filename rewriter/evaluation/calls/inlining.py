"""Inlining: a call of a function with user source becomes its residual statements."""

import ast
import inspect
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import libcst as cst

from rewriter.alike_statements import call_likeness
from rewriter.call_signatures import call_signature
from rewriter.closure import Closure
from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.calls.function_calls import call_body
from rewriter.evaluation.calls.misfits import misfit
from rewriter.evaluation.containers.containers import tuple_value
from rewriter.evaluation.control.autocasting import casting
from rewriter.evaluation.control.numpy_settings import under_settings_around
from rewriter.evaluation.refusals import RefusedForGood
from rewriter.evaluation.run import Frame, Outcomes, Run
from rewriter.program import Pattern, Statement, TensorStatement
from rewriter.program_names import statement_targets
from rewriter.source import FunctionSource, NoSource, function_source
from rewriter.state import State
from rewriter.values import DictCell, FunctionValue, Known, TensorValue, TupleValue, Value

_KINDS = inspect._ParameterKind


def inline_function(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: types.FunctionType,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Inline a function that exists at compile time."""
    try:
        source = function_source(function)
    except NoSource as error:
        frame.refuse("DYCL047", node, str(error))
    signature = call_signature(function)
    try:
        bound = bind(signature, positional, keywords)
    except TypeError:
        frame.run.raise_known(state, misfit(function.__qualname__, signature, positional, keywords))
        return
    defaults = {
        name: Known(parameter.default)
        for name, parameter in signature.parameters.items()
        if parameter.default is not inspect.Parameter.empty
    }
    callee = _frame(
        frame, node, source, function.__globals__, closure_of(function), (), owner_of(function)
    )
    variables = _variables(frame, state, bound, defaults)
    called = partial(_called, frame, node, callee, state, variables)
    yield from under_settings_around(frame.run, function, called)


def bind(
    signature: inspect.Signature, positional: list[Value], keywords: dict[str, Value]
) -> inspect.BoundArguments:
    """Bind arguments as Python's call does. Raises TypeError where they do not fit.

    ``Signature.bind`` refuses a keyword with the name of a positional-only parameter also
    where ``**names`` takes it.
    """
    only = [p.name for p in signature.parameters.values() if p.kind is _KINDS.POSITIONAL_ONLY]
    rest = [p.name for p in signature.parameters.values() if p.kind is _KINDS.VAR_KEYWORD]
    extra = {name: keywords[name] for name in only if rest and name in keywords}
    bound = signature.bind(*positional, **{n: v for n, v in keywords.items() if n not in extra})
    if extra:
        bound.arguments[rest[0]] = {**extra, **bound.arguments.get(rest[0], {})}
    return bound


def closure_of(function: types.FunctionType) -> Closure:
    """Return what the free variables of a function hold."""
    names = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return Closure(dict(names))


def owner_of(function: types.FunctionType) -> type | None:
    """Return the class in whose body a function was defined, as ``super()`` finds it."""
    return closure_of(function).get("__class__") or _class_by_name(function)  # type: ignore[return-value]


def _class_by_name(function: types.FunctionType) -> type | None:
    parts = function.__qualname__.split(".")
    found: Any = function.__globals__.get(parts[0])
    for part in parts[1:-1]:
        found = getattr(found, part, None)
    return found if isinstance(found, type) else None


def inline_closure(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: FunctionValue,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Inline a function or lambda defined by evaluated code."""
    signature = signature_of(function.source.node.params, function.defaults)
    try:
        bound = bind(signature, positional, keywords)
    except TypeError:
        error = misfit(function.source.name, signature, positional, keywords)
        frame.run.raise_known(state, error)
        return
    lexical = tuple(frame.run.lexical[identity] for identity in function.frame_path)
    callee = _frame(
        frame,
        node,
        function.source,
        function.globals,
        function.closure,
        lexical,
        lexical[0].owner if lexical else None,
    )
    variables = _variables(frame, state, bound, function.defaults)
    yield from _called(frame, node, callee, state, variables)


def signature_of(parameters: cst.Parameters, defaults: Mapping[str, Value]) -> inspect.Signature:
    """Return the signature of a function's libcst parameters."""
    made: list[inspect.Parameter] = []

    def add(param: cst.Param, kind: inspect._ParameterKind) -> None:
        name = param.name.value
        has_default = name in defaults
        made.append(
            inspect.Parameter(name, kind, default=None if has_default else inspect.Parameter.empty)
        )

    for param in parameters.posonly_params:
        add(param, _KINDS.POSITIONAL_ONLY)
    for param in parameters.params:
        add(param, _KINDS.POSITIONAL_OR_KEYWORD)
    if isinstance(parameters.star_arg, cst.Param):
        add(parameters.star_arg, _KINDS.VAR_POSITIONAL)
    for param in parameters.kwonly_params:
        add(param, _KINDS.KEYWORD_ONLY)
    if parameters.star_kwarg is not None:
        add(parameters.star_kwarg, _KINDS.VAR_KEYWORD)
    return inspect.Signature(made, __validate_parameters__=False)


def _variables(
    frame: Frame, state: State, bound: inspect.BoundArguments, defaults: Mapping[str, Value]
) -> dict[str, Value]:
    variables: dict[str, Value] = {}
    for name, parameter in bound.signature.parameters.items():
        match parameter.kind:
            case _KINDS.VAR_POSITIONAL:
                variables[name] = tuple_value(tuple(bound.arguments.get(name, ())))
            case _KINDS.VAR_KEYWORD:
                named = dict(bound.arguments.get(name, {}))
                variables[name] = frame.run.allocate(state, DictCell(named))
            case _:
                given = bound.arguments
                variables[name] = given[name] if name in given else defaults[name]
    return variables


def require_depth(frame: Frame, node: cst.CSTNode) -> None:
    """Refuse calls that are nested too deep, for the reason why they are no functions if known."""
    run = frame.run
    if len(run.frames) <= run.options.most_inlined_calls:
        return
    deep = Diagnostic(
        code="DYCL023",
        message=f"calls are nested deeper than {run.options.most_inlined_calls}",
        origin=frame.origin(node),
        help="recursion must end at a depth known at compile time",
    )
    raise RefusedForGood(run.calls.unstoppable or deep)


def _frame(
    frame: Frame,
    node: cst.CSTNode,
    source: FunctionSource,
    names: dict[str, object],
    closure: Closure,
    lexical: tuple[Frame, ...],
    owner: type | None,
) -> Frame:
    run = frame.run
    require_depth(frame, node)
    if source.scope.is_async:
        frame.refuse("DYCL002", node, f"{source.name} is an async function: not supported")
    first = source.node.params.posonly_params or source.node.params.params
    callee = Frame(
        run=run,
        identity=run.new_identity(),
        source=source,
        lexical=lexical,
        globals=names,
        closure=closure,
        inlined_at=frame.sites(node),
        owner=owner,
        receiver=first[0].name.value if first else None,
    )
    run.lexical[callee.identity] = callee
    return callee


@contextmanager
def started_closed(run: Run) -> Iterator[None]:
    """While a generator function is called whose caller lets it run to its end."""
    before, run.closes_generators = run.closes_generators, True
    try:
        yield
    finally:
        run.closes_generators = before


def _called(
    caller: Frame, node: cst.CSTNode, callee: Frame, state: State, variables: dict[str, Value]
) -> Outcomes:
    if not callee.source.scope.is_generator:
        return call_body(caller, node, callee, state, variables)
    # A generator executes statements, which call functions: a real cycle.
    from rewriter.evaluation.generators.generators import start_generator

    state.frames[callee.identity] = variables
    return iter([(state, start_generator(caller, node, callee, state))])


def collapse_call(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    start: tuple[int, int],
    call: ast.expr,
    value: Value,
) -> Value:
    """Put one call in place of the straight tensor statements that inlining it emitted.

    ``start`` is the block and its length before the call. Returns the call's value; the
    statements stay as they are where one call could not stand for them.
    """
    block, length = start
    plan = frame.run.plan
    if state.block != block or plan.differentiates or casting(frame.run) is not None:
        return value
    statements = frame.run.builder.tail(block, length)
    if isinstance(value, TensorValue):
        value = state.current(value)
    made: set[str] = set()
    plain = True
    for statement in statements:
        plain = plain and _stays_inside(statement, made)
        made.update(statement_targets(statement))
    pattern = _pattern_of(value, made)
    if len(statements) < 2 or not plain or pattern is None:
        return value
    statement = TensorStatement(
        pattern=pattern,
        expression=call,
        origin=frame.origin(node),
        may_raise=any(isinstance(s, TensorStatement) and s.may_raise for s in statements),
    )
    builder, modules = frame.run.builder, frame.run.described_modules
    does = call_likeness(statement, statements, builder.variables, builder.knowns, modules)
    builder.replace_tail(block, length, [replace(statement, does=does)])
    state.versions = {old: new for old, new in state.versions.items() if old not in made}
    return value


def _stays_inside(statement: Statement, made: set[str]) -> bool:
    """Return whether a statement computes tensors and writes only into those made here."""
    if not isinstance(statement, TensorStatement) or statement.draws is not None:
        return False  # whether anybody reads what is drawn is asked of each statement
    if statement.stores_into is not None and not statement.updates:
        return False
    return all(old in made for _, old in statement.updates)


def _pattern_of(value: Value, made: set[str]) -> Pattern:
    """Return the pattern of a result made of fresh tensors only, None for any other."""
    match value:
        case TensorValue() if value.name in made:
            return value.name
        case TupleValue() if value.kind is tuple:
            parts = tuple(_pattern_of(item, made) for item in value.items)
            repeated = len(set(parts)) < len(parts)
            return None if None in parts or repeated else parts
        case _:
            return None
