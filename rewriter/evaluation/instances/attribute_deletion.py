"""``del`` of attributes: of objects made in the call."""

from dataclasses import replace
from typing import NoReturn

import libcst as cst

from rewriter.class_members import class_member
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.containers.container_classes import is_of_dict
from rewriter.evaluation.instances.stood_for import library_class
from rewriter.evaluation.instances.user_classes import instance_of, user_method
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import Instance, Known, Reference, Value


def delete_attribute(
    frame: Frame, node: cst.CSTNode, state: State, owner: Value, name: str
) -> list[State]:
    """Execute ``del owner.name``; return the states that go on."""
    cell = instance_of(state, owner)
    if not isinstance(owner, Reference) or cell is None:
        frame.refuse("DYCL001", node, "an attribute of this object cannot be deleted")
    taken_over = class_member(cell.kind, "__delattr__")
    by_itself = user_method(cell.kind, "__delattr__")
    if by_itself and owner.identity in frame.run.containers.places:
        # it would run again where the caller's own object gets the change
        frame.refuse("DYCL001", node, "an argument whose class has its own __delattr__ is changed")
    if is_of_dict(taken_over) or by_itself:
        deleting = call_value(frame, node, state, Known(taken_over), [owner, Known(name)], {})
        return [after for after, _ in deleting]
    frozen = class_member(cell.kind, "__dataclass_params__")
    if frozen is not None and frozen.frozen:
        _refuse_own_way(frame, node, cell.kind)
    return delete_plainly(frame, node, state, owner, cell, name)


def delete_plainly(
    frame: Frame, node: cst.CSTNode, state: State, owner: Reference, cell: Instance, name: str
) -> list[State]:
    """Execute ``object.__delattr__(owner, name)``; return the states that go on."""
    declared = class_member(cell.kind, name)
    if isinstance(declared, property):
        if declared.fdel is None:
            text = f"property {name!r} of {cell.kind.__name__!r} object has no deleter"
            frame.run.raise_known(state, AttributeError(text))
            return []
        deleting = call_value(frame, node, state, Known(declared.fdel), [owner], {})
        return [after for after, _ in deleting]
    if hasattr(type(declared), "__delete__") or library_class(cell.kind) is not cell.kind:
        _refuse_own_way(frame, node, cell.kind)
    if name not in cell.attributes:
        text = f"{cell.kind.__name__!r} object has no attribute {name!r}"
        frame.run.raise_known(state, AttributeError(text))
        return []
    containers = frame.run.containers
    lent = {given.reference.identity for given in containers.lent.values()}
    if owner.identity in lent | containers.places.keys() and hasattr(cell.kind, name):
        what = f"the {name!r} of an argument, which may be its class's,"
        frame.refuse("DYCL001", node, f"{what} is deleted")
    attributes = {key: value for key, value in cell.attributes.items() if key != name}
    frame.run.update(state, owner, replace(cell, attributes=attributes))
    return [state]


def _refuse_own_way(frame: Frame, node: cst.CSTNode, kind: type) -> NoReturn:
    frame.refuse("DYCL001", node, f"{kind.__name__} deletes attributes in its own way")
