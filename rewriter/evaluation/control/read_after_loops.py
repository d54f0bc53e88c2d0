"""Which names may be read after a loop: what it binds for the first time must not be dropped."""

import libcst as cst

from rewriter.evaluation.run import Frame
from rewriter.name_liveness import names_beside, reads_first


def read_after(owner: Frame, frame: Frame, node: cst.CSTNode) -> frozenset[str]:
    """Return the names of a frame that may be read after a loop of ``frame``.

    The loop may be an expression, or in a function: the statement around it goes on, too.
    """
    if owner is not frame:
        later = owner.continuations[-1] if owner.continuations else frozenset()
        around = owner.statement
        return later if around is None else later | names_beside(around, node)
    later = frame.continuations[-2] if len(frame.continuations) > 1 else frozenset()
    if isinstance(node, cst.For | cst.While) and node.orelse is not None:
        later |= reads_first(node.orelse)
    return later
