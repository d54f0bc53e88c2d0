"""``delattr``: ``del`` of an attribute whose name is a text."""

import libcst as cst

from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.instances.attribute_deletion import delete_attribute
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import NONE


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
