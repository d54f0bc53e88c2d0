"""Augmented assignment: ``target op= value``, in place where the object has such an operator."""

import ast
import operator
from dataclasses import replace

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.containers.adding import add_last
from rewriter.evaluation.containers.inherited_code import merged_items, require_own
from rewriter.evaluation.containers.item_assignment import set_item
from rewriter.evaluation.containers.set_methods import set_method
from rewriter.evaluation.containers.subscripts import get_item
from rewriter.evaluation.containers.written_rows import written_places
from rewriter.evaluation.control.iteration import items_counted
from rewriter.evaluation.dispatch import evaluate
from rewriter.evaluation.host.array_changes import array_inplace
from rewriter.evaluation.host.array_memory import is_host_array
from rewriter.evaluation.host.host_tensors import as_tensor_operands
from rewriter.evaluation.host.trying_functions import is_known_array
from rewriter.evaluation.instances.attribute_assignment import set_attribute
from rewriter.evaluation.instances.attributes import get_attribute, mangled
from rewriter.evaluation.instances.user_classes import method_of
from rewriter.evaluation.leaf.evaluation import evaluate_operation
from rewriter.evaluation.leaf.operation import Operation
from rewriter.evaluation.names import bind
from rewriter.evaluation.operators.combining_apart import combined_apart
from rewriter.evaluation.operators.lists_beside_arrays import is_added_to_list
from rewriter.evaluation.operators.operators import binary
from rewriter.evaluation.operators.repeating_in_place import is_plain_list, repeated_in_place
from rewriter.evaluation.rendering import (
    NotMaterial,
    call_expression,
    known_object,
    render,
    tensor_of,
)
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_kinds import is_run_time
from rewriter.evaluation.run_time.run_time_mappings import mapping_method
from rewriter.evaluation.run_time.run_time_sequence_methods import extended
from rewriter.evaluation.run_time.run_time_sequences import to_run_time
from rewriter.evaluation.run_time.run_time_sets import run_time_set_method
from rewriter.evaluation.tensors.tensor_indexing import index_parts, is_run_time_integer
from rewriter.host_types import SequenceType, SetType
from rewriter.keeping.noting import keep_object
from rewriter.state import State
from rewriter.values import (
    DictCell,
    IteratorValue,
    Known,
    ListCell,
    MethodValue,
    Reference,
    RunTimeCell,
    ScalarValue,
    SetCell,
    Value,
)

INPLACE: dict[type[cst.CSTNode], tuple[type[cst.CSTNode], str]] = {
    cst.AddAssign: (cst.Add, "iadd"),
    cst.SubtractAssign: (cst.Subtract, "isub"),
    cst.MultiplyAssign: (cst.Multiply, "imul"),
    cst.DivideAssign: (cst.Divide, "itruediv"),
    cst.FloorDivideAssign: (cst.FloorDivide, "ifloordiv"),
    cst.ModuloAssign: (cst.Modulo, "imod"),
    cst.PowerAssign: (cst.Power, "ipow"),
    cst.MatrixMultiplyAssign: (cst.MatrixMultiply, "imatmul"),
    cst.LeftShiftAssign: (cst.LeftShift, "ilshift"),
    cst.RightShiftAssign: (cst.RightShift, "irshift"),
    cst.BitAndAssign: (cst.BitAnd, "iand"),
    cst.BitOrAssign: (cst.BitOr, "ior"),
    cst.BitXorAssign: (cst.BitXor, "ixor"),
}


def assign_operator(frame: Frame, node: cst.AugAssign, state: State) -> list[State]:
    """Execute ``target op= value``: the target's parts are evaluated once."""
    match node.target:
        case cst.Name() as target:
            return _operate_on_name(frame, node, target, state)
        case cst.Attribute() as target:
            return [
                done
                for after, owner in evaluate(frame, target.value, state)
                for done in _operate_on_attribute(frame, node, target, after, owner)
            ]
        case cst.Subscript() as target:
            return [
                done
                for indexed, container, index in written_places(frame, target, state)
                for done in _operate_on_item(frame, node, indexed, container, index)
            ]
        case _:
            frame.refuse("DYCL001", node, "augmented assignment to this target")


def _operate_on_name(
    frame: Frame, node: cst.AugAssign, target: cst.Name, state: State
) -> list[State]:
    finished: list[State] = []
    for after, old in evaluate(frame, target, state):
        for done, new in _combined(frame, node, after, old):
            bind(frame, target, done, target.value, new)
            finished.append(done)
    return finished


def _operate_on_attribute(
    frame: Frame, node: cst.AugAssign, target: cst.Attribute, state: State, owner: Value
) -> list[State]:
    name = mangled(frame, target.attr.value)
    return [
        written
        for after, old in get_attribute(frame, target, state, owner, name)
        for done, new in _combined(frame, node, after, old)
        for written in set_attribute(frame, target, done, owner, name, new)
    ]


def _operate_on_item(
    frame: Frame, node: cst.AugAssign, state: State, container: Value, index: Value
) -> list[State]:
    selecting = tensor_of(container) is not None and any(
        map(is_run_time_integer, index_parts(state, index))
    )
    combined = _combined_with_part if selecting else _combined
    return [
        written
        for after, old in get_item(frame, node.target, state, container, index)
        for done, new in combined(frame, node, after, old)
        for written in set_item(frame, node.target, done, container, index, new)
    ]


def _combined_with_part(frame: Frame, node: cst.AugAssign, state: State, old: Value) -> Outcomes:
    return combined_apart(frame, node, state, old, INPLACE[type(node.operator)][0])


def _combined(frame: Frame, node: cst.AugAssign, state: State, old: Value) -> Outcomes:
    ways, held_before = INPLACE[type(node.operator)], state.on_the_way
    for after, value in evaluate(frame, node.value, state):
        for done, new in apply_inplace(frame, node, after, old, value, *ways):
            if tensor_of(new) is not None:
                done.on_the_way = (*held_before, new)  # nothing holds the other one any more
            yield done, new


def apply_inplace(
    frame: Frame, node: cst.AugAssign, state: State, old: Value, value: Value,
    plain: type[cst.CSTNode], name: str,
) -> Outcomes:  # fmt: skip
    """Yield what an operator makes of what a target holds and a value."""
    if (method := method_of(state, old, f"__{name}__")) is not None:
        yield from call_value(frame, node, state, method, [value], {})
        return
    if isinstance(old, Reference) and not is_added_to_list(state, old, value):
        changed = _container_inplace(frame, node, state, old, value, name)
        if changed is not None:
            yield from changed
            return
    if tensor_of(old) is not None:
        yield from _tensor_inplace(frame, node, state, old, value, name)
        return
    array = is_host_array(old) or is_known_array(old)
    if array and tensor_of(value) is None:  # numpy leaves to a tensor what stands beside one
        yield from array_inplace(frame, node, state, old, value, name)
        return
    if not array and isinstance(old, Known) and hasattr(type(old.value), f"__{name}__"):
        keep_object(frame.run, old.value)
        frame.refuse(
            "DYCL034",
            node,
            f"a {type(old.value).__name__} is changed by an operator in place",
            "bind the name anew: a = a + b",
        )
    yield from binary(frame, node, state, plain, old, value)


def _container_inplace(
    frame: Frame, node: cst.AugAssign, state: State, old: Reference, value: Value, name: str
) -> Outcomes | None:
    """Return the outcomes of changing a list or dict, None for other objects."""
    known, cell = known_object(state, value), state.heap[old.identity]
    run_time = known is None or isinstance(cell, RunTimeCell)
    if name == "imul" and run_time and is_plain_list(state, old):
        return repeated_in_place(frame, node, state, old, value)
    if (on_host := _host_inplace(frame, node, state, old, value, name)) is not None:
        return ((after, old) for after, _ in on_host)
    mapping = merged_items(frame, node, state, value) if name == "ior" else None
    if isinstance(cell, SetCell) and known and isinstance(known.value, set | frozenset):
        done = set_method(frame, node, state, old, cell, _SET_METHODS[name], [known])
        return ((after, old) for after, _ in done)
    changed: ListCell | DictCell
    match cell:
        case ListCell() if name == "iadd":
            return _extended(frame, node, state, old, value)
        case ListCell(bound=None) as cell if (
            name == "imul" and known is not None and isinstance(known.value, int)
        ):
            changed = replace(cell, items=cell.items * known.value)
        case DictCell() as cell if name == "ior" and mapping is not None:
            require_own(frame, node, cell.kind, "update")
            changed = replace(cell, items={**cell.items, **mapping})
        case ListCell() | DictCell():
            frame.refuse("DYCL034", node, "this container is changed by an operator in place")
        case _:
            return None
    frame.run.update(state, old, changed)
    return iter([(state, old)])


def _host_inplace(
    frame: Frame, node: cst.AugAssign, state: State, old: Reference, value: Value, name: str
) -> Outcomes | None:
    """Return the outcomes of changing a container on the host, None where it is not there."""
    match state.heap[old.identity]:
        case ListCell() if name == "iadd" and isinstance(value, IteratorValue):
            # Taking items is a loop, which has statements: a real cycle.
            from rewriter.evaluation.control.taking_items import filled

            return ((after, old) for after in filled(frame, node, state, value, old))
        case ListCell() if name == "iadd" and is_run_time(state, value):
            run_time = to_run_time(frame, node, state, old)
            return extended(frame, node, state, old, run_time, value)
        case RunTimeCell(type=SequenceType(kind=kind)) as cell if (
            name == "iadd" and kind is not tuple
        ):
            return extended(frame, node, state, old, cell, value)
        case SetCell() if name in _SET_METHODS and known_object(state, value) is None:
            return run_time_set_method(frame, node, state, old, _SET_METHODS[name], [value])
        case RunTimeCell() as cell if name in _SET_METHODS and isinstance(cell.type, SetType):
            return run_time_set_method(frame, node, state, old, _SET_METHODS[name], [value])
        case RunTimeCell() as cell if name == "ior":
            return mapping_method(frame, node, state, old, "update", [value], {})
        case RunTimeCell() as cell if cell.kind is not tuple:
            frame.refuse("DYCL034", node, "this container is changed by an operator in place")
        case _:
            return None


_SET_METHODS = {
    "ior": "update", "iand": "intersection_update", "isub": "difference_update",
    "ixor": "symmetric_difference_update",
}  # fmt: skip


def _extended(
    frame: Frame, node: cst.AugAssign, state: State, old: Reference, value: Value
) -> Outcomes:
    for after, items in items_counted(frame, node, state, value):
        add_last(frame.run, after, old, items)
        yield after, old


def _tensor_inplace(
    frame: Frame, node: cst.AugAssign, state: State, old: Value, value: Value, name: str
) -> Outcomes:
    function = getattr(operator, name)
    if name == "ipow" and isinstance(value, ScalarValue):
        yield from call_value(frame, node, state, MethodValue(old, "pow_"), [value], {})
        return
    operands = as_tensor_operands(frame, node, state, (old, value), operator=function)
    try:
        parts = [render(frame.run, state, operand) for operand in operands]
    except NotMaterial as error:
        frame.refuse("DYCL030", node, f"{error.reason} is used in a tensor operation")
    callee = frame.run.builder.reference(function, f"operator.{name}")
    method = {"itruediv": "div_", "ipow": "pow_", "iadd": "add_", "isub": "sub_", "imul": "mul_"}
    if name in method:
        callee = ast.Attribute(value=parts.pop(0), attr=method[name], ctx=ast.Load())
    expression = call_expression(callee, parts)
    words = "an operator in place"
    yield from evaluate_operation(
        Operation(frame, node, state, function, operands, {}, expression, description=words)
    )
