"""Comparing instances that exist at run time only, where no method of their class says how."""

import types
from collections.abc import Callable, Sequence

import libcst as cst

from rewriter.class_members import class_member
from rewriter.evaluation.instances.generated_methods import equality_names, ordering_names
from rewriter.evaluation.operators.boolean_operators import negation
from rewriter.evaluation.operators.identity import sameness
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_kinds import record_of_keys
from rewriter.evaluation.run_time.run_time_objects import run_time_cell
from rewriter.evaluation.run_time.run_time_records import field_of
from rewriter.host_type_properties import (
    has_instance,
    has_tensor,
    is_host_instance,
    leads_to_itself,
)
from rewriter.host_types import RecordType
from rewriter.state import State
from rewriter.values import (
    DictCell,
    Known,
    ObjectCell,
    Reference,
    RunTimeCell,
    ScalarValue,
    TupleValue,
    Value,
)

Compare = Callable[[State, Value, Value], Outcomes]

_METHODS: dict[type[cst.CSTNode], tuple[str, ...]] = {
    cst.Equal: ("__eq__",),
    cst.NotEqual: ("__eq__", "__ne__"),
    cst.LessThan: ("__lt__", "__gt__"),
    cst.GreaterThan: ("__lt__", "__gt__"),
    cst.LessThanEqual: ("__le__", "__ge__"),
    cst.GreaterThanEqual: ("__le__", "__ge__"),
}
_PLAIN = (type(None), bool, int, float, complex, str, bytes, tuple)
"""Types whose values say nothing of other classes' objects."""
_SYMBOLS: dict[type[cst.CSTNode], str] = {
    cst.LessThan: "<",
    cst.GreaterThan: ">",
    cst.LessThanEqual: "<=",
    cst.GreaterThanEqual: ">=",
}


def compared_records(
    frame: Frame, node: cst.CSTNode, state: State, kind: type[cst.CSTNode],
    operands: tuple[Value, Value], compare: Compare,
) -> Outcomes | None:  # fmt: skip
    """Compare two objects, for equality where one is on the host; None for other values.

    A dataclass compares its fields by ``compare``, given as two tuples; other objects are equal
    to themselves alone, and have no order.
    """
    if kind in (cst.Equal, cst.NotEqual):
        as_dicts = _compared_dicts(frame, node, state, kind, operands, compare)
        if as_dicts is not None:
            return as_dicts
    classes = [_class_of(state, operand) for operand in operands]
    on_host = any(run_time_cell(state, operand) is not None for operand in operands)
    by_equality = kind in (cst.Equal, cst.NotEqual)
    if by_equality and on_host and _is_record_beside_plain_value(operands, classes):
        return iter([(state, Known(kind is cst.NotEqual))])
    if None in classes or (by_equality and not on_host):
        return None
    if not all(_is_own(own, name) for own in classes for name in _METHODS[kind]):
        return None
    own = classes[0] if classes[0] is classes[1] else None
    names = None
    if own is not None:
        names = equality_names(own) if by_equality else ordering_names(own)
    if names is not None:
        return _by_fields(frame, node, state, operands, names, compare)
    if not by_equality:
        left, right = (own.__name__ for own in classes if own is not None)
        shown = f"'{left}' and '{right}'"
        text = f"'{_SYMBOLS[kind]}' not supported between instances of {shown}"
        frame.run.raise_known(state, TypeError(text))
        return iter(())
    same = sameness(frame, node, state, *operands)
    return iter([(state, same)]) if kind is cst.Equal else negation(frame, node, state, same)


def _compared_dicts(
    frame: Frame, node: cst.CSTNode, state: State, kind: type[cst.CSTNode],
    operands: tuple[Value, Value], compare: Compare,
) -> Outcomes | None:  # fmt: skip
    """Compare two dicts with certain keys that the host does not compare; None for other values.

    Dicts of one length are compared by the values of the left one, in its order.
    """
    kinds = [record_of_keys(state, operand) for operand in operands]
    if not any(given and (has_tensor(given) or has_instance(given)) for given in kinds):
        return None
    left, right = (_keys_of(state, operand) for operand in operands)
    if left is None or right is None:
        return None
    if len(left) != len(right):
        return iter([(state, Known(kind is cst.NotEqual))])
    return _by_fields(frame, node, state, operands, left, compare) if {*left} == {*right} else None


def _keys_of(state: State, value: Value) -> list[object] | None:
    """Return the keys of a plain dict, of which the structure is known."""
    cell = state.heap.get(value.identity) if isinstance(value, Reference) else None
    if isinstance(cell, DictCell):
        return [*cell.items] if cell.kind is dict else None
    record = record_of_keys(state, value) if isinstance(value, Reference) else None
    return None if record is None else [name for name, _ in record.fields]


def _is_record_beside_plain_value(
    operands: tuple[Value, Value], classes: list[type | None]
) -> bool:
    """Return whether one value is such an object, and the other one equal to none of them."""
    for own, other in zip(classes, reversed(operands), strict=True):
        plain = isinstance(other, ScalarValue | TupleValue) or (
            isinstance(other, Known) and type(other.value) in _PLAIN
        )
        if own is not None and plain and all(_is_own(own, name) for name in _METHODS[cst.NotEqual]):
            return True
    return False


def _is_own(kind: type | None, name: str) -> bool:
    """Return whether no library says how objects of a class compare."""
    assert kind is not None
    declared = class_member(kind, name)
    plain = declared is class_member(object, name)
    return plain or isinstance(declared, types.FunctionType)


def _class_of(state: State, value: Value) -> type | None:
    """Return the class of an object of a user's class made in the call, None for other values."""
    cell = state.heap.get(value.identity) if isinstance(value, Reference) else None
    if isinstance(cell, RunTimeCell) and not is_host_instance(cell.type):
        return None
    return cell.kind if isinstance(cell, RunTimeCell | ObjectCell) else None


def _by_fields(
    frame: Frame, node: cst.CSTNode, state: State, operands: tuple[Value, Value],
    names: Sequence[object], compare: Compare,
) -> Outcomes:  # fmt: skip
    left, right = operands
    for operand in operands:
        cell = state.heap.get(operand.identity) if isinstance(operand, Reference) else None
        if isinstance(cell, RunTimeCell) and leads_to_itself(cell.type):
            text = "objects are compared that lead to others of their class, to any depth"
            frame.refuse("DYCL053", node, text)
    for after, one in _fields(frame, node, state, left, names, ()):
        for done, other in _fields(frame, node, after, right, names, ()):
            yield from compare(done, one, other)


def _fields(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, names: Sequence[object],
    so_far: tuple[Value, ...],
) -> Outcomes:  # fmt: skip
    """Yield a tuple of fields of an object."""
    if len(so_far) == len(names):
        yield state, TupleValue(so_far)
        return
    assert isinstance(value, Reference)
    name, cell = names[len(so_far)], state.heap[value.identity]
    if isinstance(cell, ObjectCell):
        found = iter([(state, cell.attributes[str(name)])])
    elif isinstance(cell, DictCell):
        found = iter([(state, cell.items[name])])
    else:
        assert isinstance(cell, RunTimeCell) and isinstance(cell.type, RecordType)
        found = field_of(frame, node, state, cell, name, dict(cell.type.fields)[name])
    for after, field in found:
        yield from _fields(frame, node, after, value, names, (*so_far, field))
