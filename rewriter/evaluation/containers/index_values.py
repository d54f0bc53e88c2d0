"""What stands between the brackets of a subscript: an index, a slice, or a tuple of these."""

import libcst as cst

from rewriter.evaluation.containers.containers import tuple_value
from rewriter.evaluation.dispatch import evaluate
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import NONE, Known, SliceValue, Value


def index_value(frame: Frame, node: cst.Subscript, state: State) -> Outcomes:
    """Evaluate what stands between the brackets."""
    elements = list(node.slice)
    if len(elements) == 1 and not isinstance(elements[0].comma, cst.Comma):
        yield from _index_part(frame, elements[0].slice, state)
        return
    yield from _index_tuple(frame, [element.slice for element in elements], state, ())


def _index_tuple(
    frame: Frame, nodes: list[cst.BaseSlice], state: State, done: tuple[Value, ...]
) -> Outcomes:
    if not nodes:
        yield state, tuple_value(done)
        return
    for after, part in _index_part(frame, nodes[0], state):
        yield from _index_tuple(frame, nodes[1:], after, (*done, part))


def _index_part(frame: Frame, node: cst.BaseSlice, state: State) -> Outcomes:
    if isinstance(node, cst.Index):
        yield from evaluate(frame, node.value, state)
        return
    assert isinstance(node, cst.Slice)
    for after_lower, lower in _optional(frame, node.lower, state):
        for after_upper, upper in _optional(frame, node.upper, after_lower):
            for after, step in _optional(frame, node.step, after_upper):
                parts = [known_object(after, part) for part in (lower, upper, step)]
                knowns = [part.value for part in parts if part is not None]
                if len(knowns) == 3:
                    yield after, Known(slice(*knowns))
                else:
                    yield after, SliceValue(lower, upper, step)


def _optional(frame: Frame, node: cst.BaseExpression | None, state: State) -> Outcomes:
    if node is None:
        yield state, NONE
    else:
        yield from evaluate(frame, node, state)
