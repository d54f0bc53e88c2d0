"""Operations of the host that may raise what the program catches.

The host tries them (``rewriter.attempts``) and goes on in two ways: with the result, and with the
error that Python raised there, which the evaluator knows but for its words.
"""

import ast
from collections.abc import Sequence

from rewriter.attempts import attempted
from rewriter.evaluation.host.expected_errors import called, errors_of
from rewriter.evaluation.host.numpy_errors import under_settings
from rewriter.evaluation.run import Run
from rewriter.origin import Origin
from rewriter.program import HostSpec, HostStatement
from rewriter.state import State
from rewriter.values import HostValue, ObjectCell, TupleValue


def attempt(run: Run, state: State, expression: ast.expr, origin: Origin) -> ast.expr | None:
    """Try what an expression says; return what it gives on the path that goes on.

    None where it is not known what it may raise. Where it raises nothing, it stays as it is.
    """
    errors = errors_of(run.builder, expression)
    if errors is None or not errors:
        return None if errors is None else expression
    return attempt_call(run, state, called(expression, run.builder), errors, origin)


def attempt_call(
    run: Run,
    state: State,
    parts: Sequence[ast.expr],
    errors: Sequence[type[BaseException]],
    origin: Origin,
) -> ast.expr:
    """Try the call of a function with arguments; return what it gives on the path that goes on."""
    kinds = ast.Tuple(elts=[_class(run, kind) for kind in errors], ctx=ast.Load())
    function = run.builder.reference(attempted, attempted.__name__)
    call = under_settings(run, state, ast.Call(func=function, args=[kinds, *parts], keywords=[]))
    name = run.builder.variable("_attempt", HostSpec(description="tuple"))
    run.effects += 1
    run.builder.emit(
        state.block, HostStatement(target=name, expression=call, origin=origin, effect=True)
    )
    test = _is(_part(name, 0), ast.Constant(value=None))
    (_, _), (failed, _) = run.branch(state, test, origin)
    _raise_one_of(run, failed, name, errors, origin)
    return _part(name, 1)


def _raise_one_of(
    run: Run, state: State, name: str, errors: Sequence[type[BaseException]], origin: Origin
) -> None:
    """End a path by the error that was found, whichever it is of these."""
    kind, *others = errors
    if others:
        test = _is(_part(name, 0), _class(run, kind))
        (_, _), (other, _) = run.branch(state, test, origin)
        _raise_one_of(run, other, name, others, origin)
    words = run.builder.variable("_words", HostSpec(description="str"))
    run.builder.emit(
        state.block, HostStatement(target=words, expression=_part(name, 1), origin=origin)
    )
    arguments = TupleValue((HostValue(words, ""),))
    run.raise_(state, run.allocate(state, ObjectCell(kind, {"args": arguments})))


def _class(run: Run, kind: type) -> ast.expr:
    return run.builder.reference(kind, kind.__name__)


def _is(left: ast.expr, right: ast.expr) -> ast.expr:
    return ast.Compare(left=left, ops=[ast.Is()], comparators=[right])


def _part(name: str, place: int) -> ast.expr:
    whole = ast.Name(id=name, ctx=ast.Load())
    return ast.Subscript(value=whole, slice=ast.Constant(value=place), ctx=ast.Load())
