"""``delattr``: ``del`` of an attribute whose name is a text."""

import libcst as cst

from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.instances.attribute_deletion import delete_attribute, delete_plainly
from rewriter.evaluation.instances.user_classes import instance_of
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import NONE, Known, Reference


@special(delattr)
def delattr_(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``delattr(x, name)``."""
    del keywords
    owner, name_value = positional
    name = known_object(state, name_value)
    if name is None or not isinstance(name.value, str):
        frame.refuse("DYCL060", node, "the attribute's name is known only at run time")
    for after in delete_attribute(frame, node, state, owner, name.value):
        yield after, NONE


@special(object.__delattr__)
def delete_declared(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``object.__delattr__(x, name)``, to which a ``__delattr__`` of the user's hands on."""
    match positional:
        case [Reference() as owner, Known(value=str() as name)] if not keywords:
            cell = instance_of(state, owner)
            if cell is not None:
                for after in delete_plainly(frame, node, state, owner, cell, name):
                    yield after, NONE
                return
    frame.refuse("DYCL001", node, "object.__delattr__ of this object")
