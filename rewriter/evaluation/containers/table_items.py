"""One element of an object's tables: ``x.__dict__[name]``, ``module._buffers[name]``."""

from typing import Any, TypeGuard

import libcst as cst
import torch

from rewriter.evaluation.containers.index_values import index_value
from rewriter.evaluation.dispatch import evaluate
from rewriter.evaluation.instances.asked_tables import is_missing, own_attribute, owner_of_table
from rewriter.evaluation.instances.attribute_assignment import set_attribute
from rewriter.evaluation.instances.attributes import get_attribute
from rewriter.evaluation.instances.known_tables import has_plain_table
from rewriter.evaluation.rendering import known_object, tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Known, Value

_OF_TENSORS = ("_buffers", "_parameters")


def item_of_table(frame: Frame, node: cst.Subscript, state: State) -> Outcomes | None:
    """Return what ``owner.table[index]`` gives, None for other subscripts."""
    owner = owner_of_table(node.value)
    if owner is not None:
        return _item_of_dict(frame, node, state, owner)
    if _is_of_tensors(node.value):
        return _tensor_of_table(frame, node, node.value, state)
    return None


def set_in_table(
    frame: Frame, target: cst.Subscript, state: State, value: Value, *, last: bool
) -> list[State] | None:
    """Execute ``module._buffers[name] = value``; None for other targets.

    ``last``: the statement ends with it.
    """
    from rewriter.evaluation.containers.item_assignment import set_item

    table = target.value
    if not _is_of_tensors(table):
        return None
    finished: list[State] = []
    for after, owner in evaluate(frame, table.value, state):
        for done, index in index_value(frame, target, after):
            if last:
                frame.finish_reading(done)
            name = _name_of(frame, done, owner, table.attr.value, index)
            if name is not None and _is_plain_buffer(owner, table, value):
                finished += set_attribute(frame, target, done, owner, name, value)
                continue
            for ready, held in get_attribute(frame, table, done, owner, table.attr.value):
                finished += set_item(frame, target, ready, held, index, value)
    return finished


def _item_of_dict(
    frame: Frame, node: cst.Subscript, state: State, owner: cst.BaseExpression
) -> Outcomes:
    """``owner.__dict__[index]``: one attribute, of an object made before the call."""
    # Indexing asks tables, too: a real cycle.
    from rewriter.evaluation.containers.subscripts import get_item

    for after, value in evaluate(frame, owner, state):
        for done, index in index_value(frame, node, after) if isinstance(value, Known) else ():
            found = own_attribute(frame, node, done, value, index)
            if found is None:
                for ready, table in get_attribute(frame, node.value, done, value, "__dict__"):
                    yield from get_item(frame, node, ready, table, index)
            elif is_missing(found):
                key = known_object(done, index)
                frame.run.raise_known(done, KeyError(key.value if key is not None else None))
            else:
                yield done, found
        if not isinstance(value, Known):
            for ready, table in get_attribute(frame, node.value, after, value, "__dict__"):
                for done, index in index_value(frame, node, ready):
                    yield from get_item(frame, node, done, table, index)


def _is_of_tensors(node: cst.BaseExpression) -> TypeGuard[cst.Attribute]:
    return isinstance(node, cst.Attribute) and node.attr.value in _OF_TENSORS


def _tensor_of_table(
    frame: Frame, node: cst.Subscript, table: cst.Attribute, state: State
) -> Outcomes:
    """``module._buffers[name]``: the attribute that the element is."""
    # Indexing asks tables, too: a real cycle.
    from rewriter.evaluation.containers.subscripts import get_item

    for after, owner in evaluate(frame, table.value, state):
        for done, index in index_value(frame, node, after):
            name = _name_of(frame, done, owner, table.attr.value, index)
            if name is not None:
                yield from get_attribute(frame, node, done, owner, name)
                continue
            for ready, held in get_attribute(frame, table, done, owner, table.attr.value):
                yield from get_item(frame, node, ready, held, index)


def _name_of(frame: Frame, state: State, owner: Value, table: str, index: Value) -> str | None:
    """Return which attribute an element of a table certainly is; None where that is not known."""
    key = known_object(state, index)
    content = owner.value if isinstance(owner, Known) else None
    if key is None or type(key.value) is not str or not isinstance(content, torch.nn.Module):
        return None
    name: str = key.value
    kind: Any = type(content)
    is_there = has_plain_table(kind) and name in vars(content).get(table, {})
    own = torch.nn.Module
    looked_up = kind.__getattr__ is own.__getattr__
    looked_up = looked_up and kind.__getattribute__ is object.__getattribute__
    shadowed = hasattr(kind, name) or hasattr(kind, table) or name in vars(content)
    # a buffer that the call makes a parameter leaves the table
    is_sure = looked_up and not shadowed and not frame.run.makes_parameters
    return name if is_there and is_sure else None


def _is_plain_buffer(owner: Value, table: cst.Attribute, value: Value) -> bool:
    """Return whether storing an attribute is no more than writing the element."""
    tensor = tensor_of(value)
    is_none = isinstance(value, Known) and value.value is None
    plain = is_none or (tensor is not None and not isinstance(tensor, torch.nn.Parameter))
    kind: Any = type(owner.value) if isinstance(owner, Known) else None
    stores = kind is not None and kind.__setattr__ is torch.nn.Module.__setattr__
    return plain and stores and table.attr.value == "_buffers"
