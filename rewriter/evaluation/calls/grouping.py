"""``itertools.groupby`` of numbers known only at run time: their runs are found beforehand.

One item after the other, as ``groupby`` takes them, each number that may begin a run would be a
path of its own.
"""

import itertools

import libcst as cst

from rewriter.descendants import descendants
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.preluding import known_or_inlined
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.host_types import SequenceType
from rewriter.prelude import iterating
from rewriter.scope import bindings, names_read, parameter_names
from rewriter.state import State
from rewriter.values import (
    FunctionValue,
    HostValue,
    Known,
    ListCell,
    Reference,
    RunTimeCell,
    ScalarValue,
    Value,
)

_FEW = 4
"""Items of a list of known length whose runs are told apart one by one."""
_PLAIN = (
    cst.Name, cst.Integer, cst.Float, cst.SimpleString, cst.Comparison, cst.ComparisonTarget,
    cst.BooleanOperation, cst.UnaryOperation, cst.BinaryOperation, cst.BaseCompOp, cst.BaseUnaryOp,
    cst.BaseBooleanOp, cst.Add, cst.Subtract, cst.Multiply, cst.BaseParenthesizableWhitespace,
    cst.LeftParen, cst.RightParen, cst.TrailingWhitespace, cst.Newline,
)  # fmt: skip


@special(itertools.groupby)
def groupby(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``groupby(iterable, key)``."""
    given = dict(zip(_NAMES, positional, strict=False)) | keywords
    items, key = given.get("iterable"), given.get("key", Known(None))
    is_right = len(positional) + len(keywords) == len(given) and given.keys() <= set(_NAMES)
    if items is not None and is_right and _is_plain(frame, state, key):
        if _is_text(items):
            for after, listed in call_value(frame, node, state, Known(list), [items], {}):
                yield from call_value(frame, node, after, _AHEAD, [listed, key], {})
            return
        if _is_long(state, items) and _is_left_alone(node, frame.statement):
            yield from call_value(frame, node, state, _AHEAD, [items, key], {})
            return
    yield from _ONE_BY_ONE(frame, node, state, positional, keywords)


_ONE_BY_ONE = known_or_inlined(itertools.groupby, iterating.groupby)
_NAMES = ("iterable", "key")
_AHEAD = Known(iterating.groupby_in_list)


def _is_text(items: Value) -> bool:
    """Return whether this is a text of run time, which nobody can change."""
    return isinstance(items, HostValue) and isinstance(items.sample, str)


def _is_long(state: State, items: Value) -> bool:
    """Return whether the runs of a list would be too many paths."""
    cell = state.heap[items.identity] if isinstance(items, Reference) else None
    match cell:
        case RunTimeCell(type=SequenceType(kind=kind)):
            return kind is list
        case ListCell(kind=kind):
            unknown = sum(not isinstance(item, Known) for item in cell.items)
            return kind is list and unknown > _FEW
        case _:
            return False


def _is_left_alone(call: cst.CSTNode, statement: cst.CSTNode | None) -> bool:
    """Return whether nobody can change a list while its runs are walked.

    It is made for the call, or walked by the statement that calls, which does not mention it
    again. What is changed under another name ends the walk with an error.
    """
    if not isinstance(call, cst.Call) or statement is None or not call.args:
        return False
    items = call.args[0].value
    if isinstance(items, cst.Call | cst.ListComp | cst.List | cst.BinaryOperation):
        return True
    if isinstance(items, cst.Subscript):
        return isinstance(items.slice[0].slice, cst.Slice)
    walks = [n.iter for n in descendants(statement) if isinstance(n, cst.For | cst.CompFor)]
    mentions = sum(node.deep_equals(items) for node in descendants(statement))
    return any(walked is call for walked in walks) and mentions == 1


def _is_plain(frame: Frame, state: State, key: Value) -> bool:
    """Return whether keys may be asked for beforehand.

    Nothing happens then, nothing is raised, and what the key reads does not change meanwhile.
    """
    if isinstance(key, Known) and key.value is None:
        return True
    lambda_ = key.source.node if isinstance(key, FunctionValue) else None
    if not isinstance(key, FunctionValue) or not isinstance(lambda_, cst.Lambda):
        return False
    read = names_read(lambda_.body) - set(parameter_names(lambda_.params))
    is_here = not read or key.frame_path[:1] == (frame.identity,)
    is_still = is_here and all(_stands_still(frame, state, name) for name in read)
    return is_still and all(map(_is_harmless, descendants(lambda_.body)))


def _stands_still(frame: Frame, state: State, name: str) -> bool:
    """Return whether a variable holds a number or text, and is bound once, outside of loops."""
    value, function = state.frames[frame.identity].get(name), frame.source.node
    if not isinstance(value, ScalarValue | Known) or not isinstance(function, cst.FunctionDef):
        return False
    if isinstance(value, Known) and type(value.value) not in (bool, int, float, str):
        return False
    inside = [*descendants(function)]
    loops = [node for node in inside if isinstance(node, cst.For | cst.While)]
    again = {id(node) for loop in loops for node in descendants(loop)}
    bound = [id(node) for node, names in bindings(function) if name in names]
    times = len(bound) + (name in parameter_names(function.params))
    is_shared = any(isinstance(node, cst.Nonlocal) for node in inside)
    return times == 1 and again.isdisjoint(bound) and not is_shared


def _is_harmless(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.BinaryOperation) and isinstance(
        node.operator, cst.Modulo | cst.FloorDivide
    ):
        return isinstance(node.right, cst.Integer) and node.right.value != "0"
    return isinstance(node, (*_PLAIN, cst.Modulo, cst.FloorDivide))
