"""The nodes within a piece of syntax. ``libcst.matchers`` would do, but takes long to import."""

from collections.abc import Iterator

import libcst as cst


def descendants(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield a node and all that is inside of it, from the outside in, in source order."""
    yield node
    for child in node.children:
        yield from descendants(child)
