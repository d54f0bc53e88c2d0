"""Assignment: names, unpacking, attributes, elements; augmented assignment; ``del``."""

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.containers.index_values import index_value
from rewriter.evaluation.containers.item_assignment import delete_item, set_item
from rewriter.evaluation.containers.lazy_iterators import remaining_items
from rewriter.evaluation.containers.table_items import set_in_table
from rewriter.evaluation.containers.written_rows import written_places
from rewriter.evaluation.control.iteration import items_of
from rewriter.evaluation.dispatch import evaluate
from rewriter.evaluation.instances.attribute_assignment import set_attribute
from rewriter.evaluation.instances.attribute_deletion import delete_attribute
from rewriter.evaluation.instances.attributes import mangled
from rewriter.evaluation.names import bind
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.run_time_kinds import is_run_time
from rewriter.evaluation.run_time.run_time_unpacking import run_time_parts
from rewriter.evaluation.statement_ends import is_stored_last
from rewriter.state import State
from rewriter.values import IteratorValue, Known, ListCell, ScalarValue, Value


def assign(frame: Frame, target: cst.CSTNode, state: State, value: Value) -> list[State]:
    """Execute ``target = value``; return the states that go on."""
    match target:
        case cst.Name():
            bind(frame, target, state, target.value, value)
            return [state]
        case cst.Tuple() | cst.List():
            return _unpack(frame, target, state, value)
        case cst.Attribute():
            return _store_attribute(frame, target, state, value)
        case cst.Subscript():
            return _store_item(frame, target, state, value)
        case _:
            frame.refuse("DYCL001", target, f"assignment to {type(target).__name__}")


def _store_attribute(
    frame: Frame, target: cst.Attribute, state: State, value: Value
) -> list[State]:
    name, last = mangled(frame, target.attr.value), is_stored_last(frame, target)
    finished: list[State] = []
    for after, owner in evaluate(frame, target.value, state):
        if last:
            frame.finish_reading(after)
        finished += set_attribute(frame, target, after, owner, name, value)
    return finished


def _store_item(frame: Frame, target: cst.Subscript, state: State, value: Value) -> list[State]:
    last = is_stored_last(frame, target)
    in_table = set_in_table(frame, target, state, value, last=last)
    if in_table is not None:
        return in_table
    finished: list[State] = []
    for indexed, container, index in written_places(frame, target, state):
        if last:
            frame.finish_reading(indexed)
        finished += set_item(frame, target, indexed, container, index, value)
    return finished


def _unpack(frame: Frame, target: cst.Tuple | cst.List, state: State, value: Value) -> list[State]:
    elements = list(target.elements)
    starred = [i for i, e in enumerate(elements) if isinstance(e, cst.StarredElement)]
    finished: list[State] = []
    if starred and isinstance(value, IteratorValue) and not is_run_time(state, value):
        # All that it gives is taken before the first is assigned, as ``list`` takes it.
        return [
            done
            for after, items in call_value(frame, target, state, Known(list), [value], {})
            for done in _unpack(frame, target, after, items)
        ]
    if is_run_time(state, value):
        unpacked = run_time_parts(frame, target, state, value, len(elements), starred)
    elif isinstance(value, IteratorValue):
        # One more is asked for, to see that there is none.
        unpacked = remaining_items(frame, target, state, value, len(elements) + 1)
    else:
        unpacked = items_of(frame, target, state, value)
    for after, items in unpacked:
        if starred and not is_run_time(state, value):
            first, rest = starred[0], len(elements) - starred[0] - 1
            if len(items) < len(elements) - 1:
                error = ValueError(
                    f"not enough values to unpack (expected at least {len(elements) - 1}, "
                    f"got {len(items)})"
                )
                frame.run.raise_known(after, error)
                continue
            middle = frame.run.allocate(after, ListCell(items[first : len(items) - rest]))
            tail = items[len(items) - rest :]
            items = (*items[:first], middle, *tail)
        elif not starred and len(items) != len(elements):
            few = len(items) < len(elements)
            got = f", got {len(items)}" if few else ""
            words = "not enough" if few else "too many"
            error = ValueError(f"{words} values to unpack (expected {len(elements)}{got})")
            frame.run.raise_known(after, error)
            continue
        pending = [after]
        if is_stored_last(frame, target) and all(map(_is_number, items)):
            frame.finish_reading(after)  # nothing of what was read is held by its memory
        for element, item in zip(elements, items, strict=True):
            pending = [
                done for before in pending for done in assign(frame, element.value, before, item)
            ]
        finished += pending
    return finished


def _is_number(item: Value) -> bool:
    return isinstance(item, ScalarValue) or (
        isinstance(item, Known) and isinstance(item.value, int | float)
    )


def delete(frame: Frame, target: cst.CSTNode, state: State) -> list[State]:
    """Execute ``del target``."""
    match target:
        case cst.Name(value=name):
            variables, scope = state.frames[frame.identity], frame.source.scope
            if name in (*scope.declared_global, *scope.declared_nonlocal):
                frame.refuse("DYCL055", target, f"{name!r} is deleted, which others may read")
            if target.value not in variables:
                frame.run.raise_known(state, NameError(f"name '{target.value}' is not defined"))
                return []
            del variables[target.value]
            return [state]
        case cst.Tuple() | cst.List():
            pending = [state]
            for element in target.elements:
                pending = [a for before in pending for a in delete(frame, element.value, before)]
            return pending
        case cst.Subscript():
            return [
                done
                for after, container in evaluate(frame, target.value, state)
                for indexed, index in index_value(frame, target, after)
                for done in delete_item(frame, target, indexed, container, index)
            ]
        case cst.Attribute():
            return [
                done
                for after, owner in evaluate(frame, target.value, state)
                for done in delete_attribute(
                    frame, target, after, owner, mangled(frame, target.attr.value)
                )
            ]
        case _:
            frame.refuse("DYCL001", target, "this cannot be deleted")
