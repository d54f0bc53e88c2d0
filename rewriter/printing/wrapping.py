"""Breaks long lines of Python inside brackets.

Nothing but line breaks is added, and brackets around many targets of an assignment.
"""

import io
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

WIDTH = 100
_INDENT = "    "


def wrap_lines(lines: Sequence[str]) -> list[str]:
    """Return lines of at most ``WIDTH`` characters where brackets allow it."""
    return [part for line in lines for part in _wrapped_line(line)]


def _wrapped_line(line: str) -> Iterator[str]:
    if len(line) <= WIDTH or not line.strip():
        yield line
        return
    text = line.lstrip()
    indent = line[: len(line) - len(text)]
    brackets = _outermost_brackets(text)
    if brackets is None or len(indent) + brackets.opening >= WIDTH:
        text = _with_bracketed_targets(text)
        brackets = _outermost_brackets(text)
    if brackets is None:
        yield line
        return
    code, comment = text[: brackets.end_of_code], brackets.comment
    first, *rest = _broken(code, indent, brackets)
    yield f"{first}  {comment}" if comment else first
    yield from rest


@dataclass(frozen=True, slots=True, kw_only=True)
class _Brackets:
    """The longest pair of brackets that stands in no other brackets."""

    opening: int
    closing: int
    commas: tuple[int, ...]
    """Where the commas between its items are."""
    end_of_code: int
    comment: str


def _broken(code: str, indent: str, brackets: _Brackets) -> list[str]:
    inner = indent + _INDENT
    borders = [brackets.opening, *brackets.commas, brackets.closing]
    items = [
        code[start + 1 : end].strip() + ("," if end in brackets.commas else "")
        for start, end in pairwise(borders)
    ]
    lines = [indent + code[: brackets.opening + 1]]
    row = inner
    for item in filter(None, items):
        if row != inner and len(row) + len(item) + 1 > WIDTH:
            lines.append(row)
            row = inner
        row += item if row == inner else f" {item}"
        if len(row) > WIDTH:
            lines += _wrapped_line(row)
            row = inner
    if row != inner:
        lines.append(row)
    return [*lines, indent + code[brackets.closing :]]


def _with_bracketed_targets(text: str) -> str:
    """Return ``a, b = f(x)`` as ``(a, b) = f(x)``, and whatever is no such line as it is."""
    depth = commas = 0
    for token in _tokens(text):
        if token.type != tokenize.OP:
            continue
        if token.string in "([{":
            depth += 1
        elif token.string in ")]}":
            depth -= 1
        elif token.string == "," and depth == 0:
            commas += 1
        elif token.string == "=" and depth == 0:
            column = token.start[1]
            return f"({text[:column].rstrip()}) {text[column:]}" if commas else text
    return text


def _outermost_brackets(text: str) -> _Brackets | None:
    pairs: list[tuple[int, int, tuple[int, ...]]] = []
    opening, depth, comment, end = 0, 0, "", len(text)
    commas: list[int] = []
    for token in _tokens(text):
        column = token.start[1]
        if token.type == tokenize.COMMENT:
            comment, end = token.string, len(text[:column].rstrip())
        if token.type != tokenize.OP:
            continue
        if token.string in "([{":
            if depth == 0:
                opening, commas = column, []
            depth += 1
        elif token.string in ")]}":
            depth -= 1
            if depth == 0:
                pairs.append((opening, column, tuple(commas)))
        elif token.string == "," and depth == 1:
            commas.append(column)
    if not pairs:
        return None
    first, last, found = max(pairs, key=lambda pair: pair[1] - pair[0])
    return _Brackets(opening=first, closing=last, commas=found, end_of_code=end, comment=comment)


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    """Yield the tokens of a line, which need not be a whole statement."""
    try:
        yield from tokenize.generate_tokens(io.StringIO(text).readline)
    except (tokenize.TokenError, IndentationError):
        return
