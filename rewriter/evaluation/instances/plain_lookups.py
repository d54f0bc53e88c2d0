"""``object.__getattribute__``: how attributes are found by all classes that do not say how."""

import libcst as cst

from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.instances.instance_attributes import plain_attribute
from rewriter.evaluation.instances.known_attributes import declared_attribute
from rewriter.evaluation.instances.own_lookups import own_lookup
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Known, ObjectCell, Reference


@special(object.__getattribute__)
def find_declared(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``object.__getattribute__(self, name)``, without the class's own ``__getattribute__``."""
    match positional:
        case [Known() as owner, Known(value=str() as name)] if not keywords:
            if own_lookup(type(owner.value)) is not None:
                return declared_attribute(frame, node, state, owner, name)
        case [Reference() as owner, Known(value=str() as name)] if not keywords:
            cell = state.heap[owner.identity]
            if isinstance(cell, ObjectCell) and own_lookup(cell.kind) is not None:
                return plain_attribute(frame, node, state, owner, cell, name, falls_back=False)
    frame.refuse("DYCL039", node, "object.__getattribute__ of this object")
