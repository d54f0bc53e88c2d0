"""Random numbers that the host draws: whether anything depends on one.

A number that nobody reads only moves the generator on, as it does in eager PyTorch: models draw
one per layer, and look at it while they train. Tensors of them that nobody reads are left out, and
so is what is computed of these alone (noise that is scaled), unless PyTorch may raise for them.
"""

import ast
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import BuiltinFunctionType, MethodType

import numpy

from rewriter.diagnostics import Diagnostic
from rewriter.program import (
    Function,
    HostStatement,
    KnownReference,
    Statement,
    TensorStatement,
)
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
    left_out = {id(statement) for statement in _unread(function)}
    blocks = {
        name: replace(
            block,
            statements=tuple(each for each in block.statements if id(each) not in left_out),
        )
        for name, block in function.blocks.items()
    }
    return replace(function, blocks=blocks)


def _used(function: Function, drawing: Mapping[str, str]) -> Iterable[Diagnostic]:
    unread = _unread(function)
    left_out = {id(statement) for statement in unread}
    read = _names_read(function, left_out)
    for block in function.blocks.values():
        for statement in block.statements:
            name = _drawn(statement, drawing)
            if name is None:
                continue
            may_raise = isinstance(statement, TensorStatement) and statement.may_raise
            if may_raise or not read.isdisjoint(statement_targets(statement)):
                yield Diagnostic(
                    code="DYCL033",
                    message=f"random numbers are drawn here ({name})",
                    origin=statement.origin,
                    help="pass the number in as an argument, or pass "
                    "CompileOptions(allow_random=True)",
                )


def _unread(function: Function) -> list[TensorStatement]:
    """Return the tensors that are drawn, and what is computed of them, that nobody else reads."""
    tensors = [
        statement
        for block in function.blocks.values()
        for statement in block.statements
        if isinstance(statement, TensorStatement)
    ]
    found = [statement for statement in tensors if statement.draws]
    if not found:
        return []
    names = {name for statement in found for name in statement_targets(statement)}
    for statement in tensors:  # as they were written: what is read was made before
        if not names.isdisjoint(_read_by(statement)) and _only_computes(statement):
            found.append(statement)
            names.update(statement_targets(statement))
    while True:
        read = _names_read(function, {id(statement) for statement in found})
        kept = [each for each in found if read.isdisjoint(statement_targets(each))]
        if len(kept) == len(found):
            return found
        found = kept


def _only_computes(statement: TensorStatement) -> bool:
    changes = statement.updates or statement.stores_into is not None
    return not (changes or statement.may_raise or statement.draws)


def _names_read(function: Function, left_out: set[int]) -> set[str]:
    """Return what a function reads, but for some of its statements."""
    read: set[str] = set()
    for block in function.blocks.values():
        ends = terminator_expressions(block.terminator)
        read.update(name for each in ends for name in expression_names(each))
        for statement in block.statements:
            if id(statement) not in left_out:
                read.update(_read_by(statement))
    return read


def _read_by(statement: Statement) -> set[str]:
    parts = statement_expressions(statement)
    return {name for each in parts for name in expression_names(each)}


def _drawn(statement: Statement, drawing: Mapping[str, str]) -> str | None:
    """Return what draws the numbers that a statement assigns, None for other statements."""
    match statement:
        case TensorStatement(draws=name):
            return name
        case HostStatement(expression=ast.Call(func=ast.Name(id=name))):
            return drawing.get(name)
        case _:
            return None
