"""Random numbers that the host draws: whether anything depends on one.

A number that nobody reads only moves the generator on, as it does in eager PyTorch: models draw
one per layer, and look at it while they train. Tensors of them that nobody reads are left out,
unless PyTorch may raise for what they are drawn from.
"""

import ast
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import BuiltinFunctionType, MethodType

import numpy

from rewriter.diagnostics import Diagnostic
from rewriter.program import Function, HostStatement, KnownReference, TensorStatement
from rewriter.program_names import (
    expression_names,
    statement_expressions,
    statement_targets,
    terminator_expressions,
)

DRAWING: Mapping[str, tuple[Callable[..., object], type]] = {
    "random.random": (random.random, float),
    "random.uniform": (random.uniform, float),
    "random.randint": (random.randint, int),
    "random.randrange": (random.randrange, int),
    "numpy.random.rand": (numpy.random.rand, float),
    "numpy.random.random": (numpy.random.random, float),
    "numpy.random.uniform": (numpy.random.uniform, float),
    "numpy.random.randint": (numpy.random.randint, int),
}
"""What draws a number, given numbers, by its name; and the type of the number."""


def used_draws(
    functions: Iterable[Function], knowns: Mapping[str, KnownReference]
) -> list[Diagnostic]:
    """Return why a program cannot be taken: for each number drawn that it depends on."""
    names = {function: name for name, (function, _) in DRAWING.items()}
    drawing = {
        variable: names[known.value]
        for variable, known in knowns.items()
        if isinstance(known.value, BuiltinFunctionType | MethodType) and known.value in names
    }
    return [problem for function in functions for problem in _used(function, drawing)]


def without_draws(function: Function) -> Function:
    """Return a function without the tensors of random numbers, which nobody reads in it."""
    blocks = {
        name: replace(
            block,
            statements=tuple(
                statement
                for statement in block.statements
                if not (isinstance(statement, TensorStatement) and statement.draws)
            ),
        )
        for name, block in function.blocks.items()
    }
    return replace(function, blocks=blocks)


def _used(function: Function, drawing: Mapping[str, str]) -> Iterable[Diagnostic]:
    read: set[str] = set()
    drawn: list[tuple[str, HostStatement | TensorStatement]] = []
    for block in function.blocks.values():
        expressions = list(terminator_expressions(block.terminator))
        for statement in block.statements:
            if isinstance(statement, TensorStatement) and statement.draws:
                drawn.append((statement.draws, statement))
                continue
            expressions += statement_expressions(statement)
            if isinstance(statement, HostStatement) and (name := _drawn(statement, drawing)):
                drawn.append((name, statement))
        read.update(name for each in expressions for name in expression_names(each))
    for name, statement in drawn:
        may_raise = isinstance(statement, TensorStatement) and statement.may_raise
        if may_raise or not read.isdisjoint(statement_targets(statement)):
            yield Diagnostic(
                code="DYCL033",
                message=f"random numbers are drawn here ({name})",
                origin=statement.origin,
                help="pass the number in as an argument, or pass CompileOptions(allow_random=True)",
            )


def _drawn(statement: HostStatement, drawing: Mapping[str, str]) -> str | None:
    """Return what draws the number that a statement assigns, None for other statements."""
    match statement.expression:
        case ast.Call(func=ast.Name(id=name)):
            return drawing.get(name)
        case _:
            return None
