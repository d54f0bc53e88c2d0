"""The nodes within a piece of syntax. ``libcst.matchers`` would do, but takes long to import."""

from collections.abc import Iterator
from functools import lru_cache

import libcst as cst


@lru_cache(maxsize=1 << 16)
def children_of(node: cst.CSTNode) -> tuple[cst.CSTNode, ...]:
    """Return the parts of a node. libcst makes the node anew to find them: they are remembered."""
    return tuple(node.children)


def descendants(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield a node and all that is inside of it, from the outside in, in source order."""
    pending = [node]
    while pending:
        found = pending.pop()
        yield found
        pending += reversed(children_of(found))
