"""Augmented assignment: ``target op= value``, in place where the object has such an operator."""

import ast
import operator

import libcst as cst
import torch

from rewriter.evaluation.attribute_assignment import set_attribute
from rewriter.evaluation.calls import call_value
from rewriter.evaluation.containers import mapping_items
from rewriter.evaluation.dispatch import evaluate
from rewriter.evaluation.host_tensors import as_tensor_operands
from rewriter.evaluation.item_assignment import set_item
from rewriter.evaluation.iteration import items_of
from rewriter.evaluation.leaf import Operation
from rewriter.evaluation.names import bind
from rewriter.evaluation.objects import get_attribute, mangled
from rewriter.evaluation.operators import binary
from rewriter.evaluation.rendering import NotMaterial, call_expression, known_object, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.subscripts import get_item, index_value
from rewriter.evaluation.user_classes import method_of
from rewriter.state import State
from rewriter.values import DictCell, Known, ListCell, Reference, TensorValue, Value

_INPLACE: dict[type[cst.CSTNode], tuple[type[cst.CSTNode], str]] = {
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
    finished: list[State] = []
    target = node.target
    match target:
        case cst.Name():
            for after, old in evaluate(frame, target, state):
                for done, new in _combined(frame, node, after, old):
                    bind(frame, target, done, target.value, new)
                    finished.append(done)
        case cst.Attribute():
            name = mangled(frame, target.attr.value)
            for with_owner, owner in evaluate(frame, target.value, state):
                for after, old in get_attribute(frame, target, with_owner, owner, name):
                    for done, new in _combined(frame, node, after, old):
                        finished += set_attribute(frame, target, done, owner, name, new)
        case cst.Subscript():
            for with_owner, container in evaluate(frame, target.value, state):
                for indexed, index in index_value(frame, target, with_owner):
                    for after, old in get_item(frame, target, indexed, container, index):
                        for done, new in _combined(frame, node, after, old):
                            finished += set_item(frame, target, done, container, index, new)
        case _:
            frame.refuse("DYCL001", node, "augmented assignment to this target")
    return finished


def _combined(frame: Frame, node: cst.AugAssign, state: State, old: Value) -> Outcomes:
    plain, inplace = _INPLACE[type(node.operator)]
    for after, value in evaluate(frame, node.value, state):
        yield from _apply_inplace(frame, node, after, old, value, plain, inplace)


def _apply_inplace(
    frame: Frame,
    node: cst.AugAssign,
    state: State,
    old: Value,
    value: Value,
    plain: type[cst.CSTNode],
    name: str,
) -> Outcomes:

    method = method_of(state, old, f"__{name}__")
    if method is not None:
        yield from call_value(frame, node, state, method, [value], {})
        return
    cell = state.heap[old.identity] if isinstance(old, Reference) else None
    if isinstance(cell, ListCell) and name == "iadd":
        assert isinstance(old, Reference)
        for after, items in items_of(frame, node, state, value):
            current = after.heap[old.identity]
            assert isinstance(current, ListCell)
            frame.run.update(after, old, ListCell(current.items + items, cell.kind))
            yield after, old
        return
    if isinstance(cell, ListCell) and name == "imul":
        assert isinstance(old, Reference)
        times = known_object(state, value)
        if times is not None and isinstance(times.value, int):
            frame.run.update(state, old, ListCell(cell.items * times.value, cell.kind))
            yield state, old
            return
    if isinstance(cell, DictCell) and name == "ior":
        assert isinstance(old, Reference)
        other = mapping_items(state, value)
        if other is not None:
            merged = DictCell({**cell.items, **other}, cell.kind, cell.default_factory)
            frame.run.update(state, old, merged)
            yield state, old
            return
    if isinstance(cell, ListCell | DictCell) or (
        isinstance(old, Known) and isinstance(old.value, list | dict | set)
    ):
        frame.refuse("DYCL034", node, "this container is changed by an operator in place")
    if _is_tensor(old):
        yield from _tensor_inplace(frame, node, state, old, value, name)
        return
    yield from binary(frame, node, state, plain, old, value)


def _is_tensor(value: Value) -> bool:
    return isinstance(value, TensorValue) or (
        isinstance(value, Known) and isinstance(value.value, torch.Tensor)
    )


def _tensor_inplace(
    frame: Frame, node: cst.AugAssign, state: State, old: Value, value: Value, name: str
) -> Outcomes:

    function = getattr(operator, name)
    operands = as_tensor_operands(frame, node, state, (old, value))
    try:
        parts = [render(frame.run, state, operand) for operand in operands]
    except NotMaterial as error:
        frame.refuse("DYCL030", node, f"{error.reason} is used in a tensor operation")
    callee = frame.run.builder.reference(function, f"operator.{name}")
    method = {"itruediv": "div_", "ipow": "pow_", "iadd": "add_", "isub": "sub_", "imul": "mul_"}
    if name in method:
        callee = ast.Attribute(value=parts[0], attr=method[name], ctx=ast.Load())
        expression = call_expression(callee, parts[1:])
    else:
        expression = call_expression(callee, parts)
    yield from Operation(
        frame, node, state, function, operands, {}, expression, description="an operator in place"
    ).evaluate()
