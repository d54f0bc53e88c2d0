"""Rows of tensors at places of run time that are written into: ``table[i][j] = x``.

``table[i]`` shares memory with the table at a place that nobody knows when compiling, so a write
into it would be one into memory that is another tensor's on some paths only. PyTorch takes
``table[i, j]`` for ``table[i][j]`` where the places are integers and slices; what is evaluated
before it looks whether row ``i`` is there are names and integers only, and sums of these.
"""

from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.containers.containers import tuple_value
from rewriter.evaluation.containers.index_values import index_value
from rewriter.evaluation.containers.subscripts import get_item
from rewriter.evaluation.dispatch import evaluate, noted
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import Known, ScalarValue, SliceValue, TensorValue, TupleValue, Value


def written_places(
    frame: Frame, target: cst.Subscript, state: State
) -> Iterator[tuple[State, Value, Value]]:
    """Evaluate what an assignment to an element writes into, and its index."""
    rows = all(_is_calm(frame, state, part.slice) for part in target.slice)
    found = _row(frame, target.value, state) if rows else _whole(frame, target.value, state)
    for after, value, places in found:
        for done, index in index_value(frame, target, after):
            parts = _parts(index)
            if places and all(map(_is_plain, parts)):
                yield done, value, tuple_value((*places, *parts))
                continue
            for ready, row in _at(frame, target.value, done, value, places):
                yield ready, row, index


def _row(
    frame: Frame, node: cst.BaseExpression, state: State
) -> Iterator[tuple[State, Value, tuple[Value, ...]]]:
    """Evaluate what is written into: a tensor, and the places of the row in it; or no places."""
    if not isinstance(node, cst.Subscript) or len(node.slice) != 1:
        yield from _whole(frame, node, state)
        return
    if not _is_calm(frame, state, node.slice[0].slice):
        yield from _whole(frame, node, state)
        return
    for after, value, places in _row(frame, node.value, state):
        for done, place in index_value(frame, node, after):
            further = isinstance(value, TensorValue) and len(places) + 1 < value.fake.dim()
            if further and _is_integer(place) and (places or isinstance(place, ScalarValue)):
                yield done, value, (*places, place)
                continue
            for ready, whole in _at(frame, node.value, done, value, places):
                for last, row in get_item(frame, node, ready, whole, place):
                    yield last, noted(frame.run, last, row), ()


def _whole(
    frame: Frame, node: cst.BaseExpression, state: State
) -> Iterator[tuple[State, Value, tuple[Value, ...]]]:
    for after, value in evaluate(frame, node, state):
        yield after, value, ()


def _at(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, places: tuple[Value, ...]
) -> Iterator[tuple[State, Value]]:
    if not places:
        yield state, value
        return
    for after, row in get_item(frame, node, state, value, tuple_value(places)):
        yield after, noted(frame.run, after, row)


def _is_calm(frame: Frame, state: State, part: cst.BaseSlice) -> bool:
    """Return whether nothing happens where a part of an index is evaluated, and it is there."""
    if isinstance(part, cst.Slice):
        bounds = (part.lower, part.upper, part.step)
        return all(bound is None or _is_there(frame, state, bound) for bound in bounds)
    place = cst.ensure_type(part, cst.Index).value
    match place:
        case cst.Subscript(
            value=cst.Name(value=name),
            slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer()))],
        ):
            return isinstance(state.frames[frame.identity].get(name), TupleValue)
        case _:
            return _is_there(frame, state, place)


def _is_there(frame: Frame, state: State, place: cst.BaseExpression) -> bool:
    """Return whether an expression is a name or a number, or a sum or product of integers."""
    if isinstance(place, cst.UnaryOperation):
        return isinstance(place.operator, cst.Minus) and isinstance(place.expression, cst.Integer)
    if isinstance(place, cst.BinaryOperation):
        calm = isinstance(place.operator, cst.Add | cst.Subtract | cst.Multiply)
        return calm and all(_is_number(frame, state, x) for x in (place.left, place.right))
    return isinstance(place, cst.Name | cst.Integer)


def _is_number(frame: Frame, state: State, part: cst.BaseExpression) -> bool:
    """Return whether part of a sum is an integer, and nothing happens where it is evaluated."""
    if isinstance(part, cst.Name):
        content = state.frames[frame.identity].get(part.value)
        return content is not None and _is_integer(content)
    return isinstance(part, cst.Integer | cst.BinaryOperation) and _is_there(frame, state, part)


def _parts(index: Value) -> tuple[Value, ...]:
    match index:
        case TupleValue():
            return index.items
        case Known(value=tuple() as parts):
            return tuple(map(Known, parts))
        case _:
            return (index,)


def _is_plain(part: Value) -> bool:
    return _is_integer(part) or isinstance(part, SliceValue) or _is_slice(part)


def _is_slice(part: Value) -> bool:
    return isinstance(part, Known) and isinstance(part.value, slice)


def _is_integer(place: Value) -> bool:
    match place:
        case ScalarValue():
            return place.type is int
        case Known():
            return type(place.value) is int
        case _:
            return False
