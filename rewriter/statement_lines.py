"""Which lines of a file can be parsed by themselves: the statement that a lambda stands in.

Positions cost as much as a file is long, so that one lambda in a long file would be paid for
with all of it.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class _Lines:
    first: int
    last: int
    begins: bool
    """Whether the first line begins with the statement, which can stand alone."""


def statement_lines(content: str, line: int) -> tuple[int, int] | None:
    """Return the first and last line of the innermost statement around a line, both included.

    None where no such statement can be parsed without what stands around it.
    """
    every = _all_statements(content)
    around = [one for one in every if one.begins and one.first <= line <= one.last]
    if not around:
        return None
    first, last = max((one.first, one.last) for one in around)
    while True:  # what follows behind a semicolon may go on over further lines
        end = max(one.last for one in every if first <= one.first <= last)
        if end == last:
            return first, last
        last = end


@lru_cache(maxsize=64)
def _all_statements(content: str) -> tuple[_Lines, ...]:
    try:
        module = ast.parse(content)
    except (SyntaxError, ValueError):
        return ()
    lines = lines_of(content)
    return tuple(_lines_of(node, lines) for node in _statements(module))


def lines_of(content: str) -> list[str]:
    """Return the lines as Python counts them: a form feed, say, ends none."""
    return [f"{line}\n" for line in content.split("\n")]


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        if isinstance(child, (ast.stmt, ast.excepthandler, ast.match_case)):
            yield from _statements(child)


def _lines_of(node: ast.stmt, lines: Sequence[str]) -> _Lines:
    decorators = [decorator.lineno for decorator in getattr(node, "decorator_list", ())]
    first = min([node.lineno, *decorators])
    encoded = lines[first - 1].encode()
    before, after = encoded[: node.col_offset], encoded[node.col_offset :]
    begins = not before.strip(b" \t") and not after.startswith(b"elif")
    return _Lines(first, node.end_lineno or node.lineno, begins)
