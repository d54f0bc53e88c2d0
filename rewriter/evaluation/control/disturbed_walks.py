"""Dicts, sets and deques that change inside a walk over them.

Python goes on by the layout of its hash table then, or raises: a walk that goes on is refused.
What changes the size and nothing else is noticed by the walk itself.
"""

import libcst as cst

from rewriter.evaluation.run import Frame

_MESSAGE = "a dict, set or deque loses or replaces an item inside a walk that goes on"
_HELP = "walk over list(...) of it"


def refuse_disturbed(frame: Frame, node: cst.CSTNode, disturbed: bool) -> None:
    """Refuse to go on with a walk over a container that lost an item."""
    if disturbed:
        frame.refuse("DYCL073", node, _MESSAGE, _HELP)
