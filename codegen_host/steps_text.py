"""The host program in steps: it stops before each sub-DNN, so that others may come there, too.

```
def forward(x):                              def forward_steps(x):
    h = subdnn_0(x)                              h = yield subdnn_0, x
    if h.item() > 0:               ->            if h.item() > 0:
        h = grow(h)                                  h = yield from grow_steps(h)
    return in_batches(encode, h)                 return (yield in_batches, encode, h)
```
"""

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from rewriter.printing.wrapping import WIDTH

STEPS = "{}_steps"
"""What the steps of a function are called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stops:
    """What a host program stops before."""

    calls: Collection[str]
    """Sub-DNNs, and what begins batches."""
    functions: Collection[str]
    """Functions that stop themselves."""


def reached_in_steps(
    definitions: Mapping[str, Sequence[str]], entry: str, calls: Collection[str]
) -> Stops:
    """Return where a program stops that starts at ``entry``: before which ``calls``.

    ``definitions`` are the lines of its functions by name.
    """
    called = {name: _names_called(_parsed(each)) for name, each in definitions.items()}
    stopping: set[str] = set()
    while more := {n for n, each in called.items() if each & {*calls, *stopping}} - stopping:
        stopping |= more
    functions: set[str] = set()
    pending = [entry]
    while pending:
        name = pending.pop()
        functions.add(name)
        pending += (called[name] & stopping) - functions
    reached = {call for name in functions for call in called[name] if call in calls}
    return Stops(calls=reached, functions=functions & stopping)


def _names_called(tree: ast.FunctionDef) -> Set[str]:
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {function.id for function in calls if isinstance(function, ast.Name)}


def steps_of(definition: Sequence[str], stops: Stops) -> list[str]:
    """Return the lines of a function in steps; ``definition`` are its lines."""
    tree = _parsed(definition)
    lines = [line.encode() for line in definition]
    start = len("def ")
    edits = [_Edit(1, start, start + len(tree.name), STEPS.format(tree.name))]
    for node, is_alone in _calls(tree, stops):
        fits = len(definition[node.lineno - 1]) + _ADDED <= WIDTH
        edits += _edits(node, stops, brackets=not (is_alone and fits))
    for edit in sorted(edits, reverse=True):  # from the end: nothing moves that is still to come
        line = lines[edit.row - 1]
        lines[edit.row - 1] = line[: edit.start] + edit.text.encode() + line[edit.end :]
    return [line.decode() for line in lines]


_ADDED = len("yield from _steps")


class _Edit(NamedTuple):
    """Bytes of a line that are replaced."""

    row: int
    start: int
    end: int
    text: str


def _parsed(definition: Sequence[str]) -> ast.FunctionDef:
    (tree,) = ast.parse("\n".join(definition)).body
    assert isinstance(tree, ast.FunctionDef)
    return tree


def _calls(tree: ast.FunctionDef, stops: Stops) -> Iterator[tuple[ast.Call, bool]]:
    """Yield the calls to stop before, each with whether it is all that a statement computes."""
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Assign | ast.Expr)}
    names = {*stops.calls, *stops.functions}
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in names:
                yield node, id(node) in alone


def _edits(node: ast.Call, stops: Stops, *, brackets: bool) -> Iterator[_Edit]:
    """Write ``(yield f, a, b)`` for ``f(a, b)``, or ``(yield from f_steps(a, b))``."""
    assert isinstance(node.func, ast.Name)
    assert node.end_lineno is not None and node.end_col_offset is not None
    name, start = node.func.id, node.col_offset
    opening, closing = ("(", ")") if brackets else ("", "")
    row, end = node.end_lineno, node.end_col_offset
    if name in stops.functions:
        text = f"{opening}yield from {STEPS.format(name)}"
        yield _Edit(node.lineno, start, start + len(name), text)
        yield _Edit(row, end, end, closing)
    else:
        text = f"{opening}yield {name}, " if node.args else f"{opening}yield {name},"
        yield _Edit(node.lineno, start, start + len(name) + 1, text)
        yield _Edit(row, end - 1, end, closing)
