"""The lines of one statement."""

import ast
from collections.abc import Callable, Iterator, Sequence

from rewriter.program import (
    CallStatement,
    Copy,
    HostStatement,
    Pattern,
    Statement,
    TensorFromHost,
    TensorStatement,
)
from rewriter.program_names import call_expression


def statement_lines(statement: Statement, render: Callable[[ast.expr], str]) -> Iterator[str]:
    """Yield the lines that run a statement."""
    match statement:
        case TensorStatement():
            yield _target(statement, render) + render(statement.expression)
            yield from assignments([pair for pair in statement.updates if pair[0] != pair[1]])
        case HostStatement():
            target = "" if statement.target is None else f"{statement.target} = "
            yield target + render(statement.expression)
        case TensorFromHost():
            value, joined = render(statement.expression), statement.joined
            made = f"torch.tensor({value}, dtype={statement.dtype})"
            if statement.fits:
                # of one element in half precision PyTorch itself makes an infinite one
                made = f"torch.full((2,), {value}, dtype={statement.dtype})[0]"
            if joined is not None:
                made = f"torch.{joined.function}({value}, {joined.dim})"
            yield f"{statement.target} = {made}"
        case CallStatement():
            yield _assigned(statement.pattern) + render(call_expression(statement))
        case Copy():
            sources = map(render, statement.sources)
            yield from assignments(list(zip(statement.targets, sources, strict=True)))


def assignments(pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield assignments that do what the parallel assignment of all pairs does.

    One by one, each before what it reads is overwritten; a cycle goes in one line.
    """
    waiting = list(pairs)
    while waiting:
        read = [source for _, source in waiting]
        free = [
            (target, source)
            for target, source in waiting
            if target not in read or (target == source and read.count(target) == 1)
        ]
        if not free:
            targets = ", ".join(target for target, _ in waiting)
            yield f"{targets} = {', '.join(source for _, source in waiting)}"
            return
        for target, source in free:
            yield f"{target} = {source}"
        waiting = [pair for pair in waiting if pair not in free]


def _target(statement: TensorStatement, render: Callable[[ast.expr], str]) -> str:
    if statement.stores_into is not None:
        return f"{render(statement.stores_into)} = "
    return _assigned(statement.pattern)


def _assigned(pattern: Pattern) -> str:
    """Return the left-hand side of an assignment, nothing where nothing is assigned."""
    match pattern:
        case None:
            return ""
        case tuple() as parts if len(parts) > 1:
            return f"{', '.join(map(_pattern_text, parts))} = "
        case _:
            return f"{_pattern_text(pattern)} = "


def _pattern_text(pattern: Pattern) -> str:
    match pattern:
        case None:
            return "_"
        case str():
            return pattern
        case (part,):
            return f"({_pattern_text(part)},)"
        case tuple():
            return f"({', '.join(map(_pattern_text, pattern))})"
