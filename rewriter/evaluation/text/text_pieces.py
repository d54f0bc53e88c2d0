"""What is known of a text of run time: ``f"expert_{i}"`` is a word and an integer."""

import ast
import re
from collections.abc import Iterable, Iterator

import libcst as cst

from rewriter.evaluation.host.host_statements import host_value
from rewriter.evaluation.rendering import render
from rewriter.evaluation.run import Frame, Outcomes, Run
from rewriter.state import State
from rewriter.values import HostValue, Known, ScalarValue, Value

_INTEGER = "(0|-?[1-9][0-9]*)"


def note_number(run: Run, text: HostValue, number: Value, spec: Known | None) -> None:
    """Record that a text is that of an integer, in no particular format."""
    plain = spec is not None and spec.value == ""
    if plain and isinstance(number, ScalarValue) and number.type is int:
        run.texts[text.name] = (number,)


def note_joined(run: Run, text: Value, parts: Iterable[Value]) -> None:
    """Record that a text is others, one after the other."""
    pieces = [piece for part in parts for piece in _pieces(run, part)]
    if isinstance(text, HostValue):
        run.texts[text.name] = tuple(pieces)


def _text(content: object) -> str:
    """Return the text that an object is, whatever ``__str__`` of a class of texts says."""
    return str.__str__(content) if isinstance(content, str) else str(content)


def joined_text(frame: Frame, node: cst.CSTNode, state: State, parts: list[Value]) -> Outcomes:
    """Put pieces of text together: now where all are known, else on the host."""
    if all(isinstance(part, Known) for part in parts):
        yield state, Known("".join(_text(part.value) for part in parts if isinstance(part, Known)))
        return
    pieces = [part for part in parts if not (isinstance(part, Known) and part.value == "")]
    expression = render(frame.run, state, pieces[0])
    for piece in pieces[1:]:
        expression = ast.BinOp(left=expression, op=ast.Add(), right=render(frame.run, state, piece))
    text = host_value(frame.run, state, expression, "", frame.origin(node))
    note_joined(frame.run, text, pieces)
    yield state, text


def note_template(run: Run, text: HostValue, around: list[str], number: Value) -> None:
    """Record that a text is an integer between two words."""
    if isinstance(number, ScalarValue) and number.type is int:
        run.texts[text.name] = (around[0], number, around[1])


def _pieces(run: Run, part: Value) -> tuple[str | ScalarValue | None, ...]:
    if isinstance(part, Known) and isinstance(part.value, str):
        return (part.value,)
    return run.texts.get(part.name, (None,)) if isinstance(part, HostValue) else (None,)


def number_in(run: Run, text: HostValue) -> ScalarValue | None:
    """Return the integer that alone decides what a text is, None where there is none."""
    unknown = [piece for piece in run.texts.get(text.name, (None,)) if not isinstance(piece, str)]
    return unknown[0] if len(unknown) == 1 else None


def possible(run: Run, text: HostValue, names: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield the names that a text with one integer may be, and the integer it then is."""
    pieces = run.texts[text.name]
    pattern = "".join(re.escape(p) if isinstance(p, str) else _INTEGER for p in pieces)
    for name in names:
        found = re.fullmatch(pattern, name, re.ASCII)
        if found is not None:
            yield name, int(found[1])
