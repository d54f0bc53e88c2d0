"""String literals: plain ones, concatenated ones, f-strings."""

import ast
import re

import libcst as cst

from rewriter.evaluation.dispatch import evaluate, expression_rule
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.text.text_formatting import format_value
from rewriter.evaluation.text.text_pieces import joined_text
from rewriter.state import State
from rewriter.values import Known, Value

_ESCAPE_OR_QUOTE = re.compile(r'\\.|"', re.DOTALL)
_ESCAPED_QUOTE = {'"': '\\"'}


@expression_rule(cst.SimpleString)
def simple_string(frame: Frame, node: cst.SimpleString, state: State) -> Outcomes:
    """``"text"``."""
    del frame
    yield state, Known(node.evaluated_value)


@expression_rule(cst.ConcatenatedString)
def concatenated_string(frame: Frame, node: cst.ConcatenatedString, state: State) -> Outcomes:
    """``"a" f"{b}"``."""
    for after, left in evaluate(frame, node.left, state):
        for done, right in evaluate(frame, node.right, after):
            yield from joined_text(frame, node, done, [left, right])


@expression_rule(cst.FormattedString)
def formatted_string(frame: Frame, node: cst.FormattedString, state: State) -> Outcomes:
    """``f"..."``."""
    yield from _parts(frame, node, list(node.parts), state, [])


def _parts(
    frame: Frame,
    node: cst.CSTNode,
    parts: list[cst.BaseFormattedStringContent],
    state: State,
    done: list[Value],
) -> Outcomes:
    if not parts:
        yield from joined_text(frame, node, state, done)
        return
    first, *rest = parts
    if isinstance(first, cst.FormattedStringText):
        text = _unescaped(first.value, node)
        yield from _parts(frame, node, rest, state, [*done, Known(text)])
        return
    assert isinstance(first, cst.FormattedStringExpression)
    if first.equal is not None:
        shown = frame.source.text.between(first, first.equal)
        conversion = first.conversion or ("r" if first.format_spec is None else None)
        plain = first.with_changes(equal=None, conversion=conversion)
        for after, value in evaluate(frame, first.expression, state):
            for formatted, text_value in _formatted(frame, node, plain, after, value):
                parts_done = [*done, Known(shown), text_value]
                yield from _parts(frame, node, rest, formatted, parts_done)
        return
    for after, value in evaluate(frame, first.expression, state):
        for formatted, text_value in _formatted(frame, first, first, after, value):
            yield from _parts(frame, node, rest, formatted, [*done, text_value])


def _unescaped(text: str, node: cst.CSTNode) -> str:
    text = text.replace("{{", "{").replace("}}", "}")
    prefix = node.start.lower() if isinstance(node, cst.FormattedString) else ""
    if "r" in prefix or "\\" not in text:
        return text
    quoted = _ESCAPE_OR_QUOTE.sub(lambda found: _ESCAPED_QUOTE.get(found[0], found[0]), text)
    return str(ast.literal_eval(f'"""{quoted}"""'))


def _formatted(
    frame: Frame,
    node: cst.CSTNode,
    part: cst.FormattedStringExpression,
    state: State,
    value: Value,
) -> Outcomes:
    if part.format_spec is None:
        specs: Outcomes = iter([(state, Known(""))])
    else:
        specs = _parts(frame, node, list(part.format_spec), state, [])
    for after, spec in specs:
        yield from format_value(frame, node, after, value, spec, part.conversion)
