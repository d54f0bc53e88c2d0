"""Which variables a statement may read before it assigns them, and which it surely assigns.

A superset and a subset respectively, so that what is not live here is surely dead: joins
forget dead variables, and loops need not carry them.
"""

from collections.abc import Sequence

import libcst as cst

from rewriter.descendants import children_of
from rewriter.scope import names_read, target_names

_READS: dict[cst.CSTNode, frozenset[str]] = {}
_NOTHING: frozenset[str] = frozenset()


def reads_first(node: cst.CSTNode) -> frozenset[str]:
    """Return the names that a statement may read as they were before it."""
    known = _READS.get(node)
    if known is None:
        known = _READS[node] = _reads_first(node)
    return known


def _reads_first(node: cst.CSTNode) -> frozenset[str]:
    match node:
        case cst.If():
            arms = reads_first(node.body)
            if node.orelse is not None:
                arms |= reads_first(node.orelse)
            return names_read(node.test) | arms
        case cst.For():
            body = reads_first(node.body) - frozenset(target_names(node.target))
            places = _places(node.target)
            return names_read(node.iter) | places | body | _else(node.orelse)
        case cst.While():
            return names_read(node.test) | reads_first(node.body) | _else(node.orelse)
        case cst.With():
            items = _NOTHING.union(*(names_read(item.item) for item in node.items))
            return items | reads_first(node.body)
        case cst.IndentedBlock() | cst.SimpleStatementSuite() | cst.SimpleStatementLine():
            return live_before(node.body, _NOTHING)
        case cst.Else() | cst.Finally():
            return reads_first(node.body)
        case cst.Assign():
            places = _NOTHING.union(*(_places(target.target) for target in node.targets))
            return names_read(node.value) | places
        case cst.AnnAssign():
            value = _NOTHING if node.value is None else names_read(node.value)
            return value | _places(node.target)
        case _:
            return names_read(node)


def _else(node: cst.Else | None) -> frozenset[str]:
    return _NOTHING if node is None else reads_first(node)


def _places(target: cst.CSTNode) -> frozenset[str]:
    """Return the names read to find where an assignment goes (``x`` in ``x[i] = ...``)."""
    return names_read(target) - frozenset(target_names(target))


def names_beside(node: cst.CSTNode, part: cst.CSTNode) -> frozenset[str]:
    """Return the names in a node, but for those in a part of it only."""
    if node is part:
        return _NOTHING
    own = frozenset((node.value,)) if isinstance(node, cst.Name) else _NOTHING
    return own.union(*(names_beside(child, part) for child in children_of(node)))


def assigns(node: cst.CSTNode) -> frozenset[str]:
    """Return the names that a statement assigns whenever it ends normally."""
    match node:
        case cst.SimpleStatementLine() | cst.IndentedBlock() | cst.SimpleStatementSuite():
            return _NOTHING.union(*(assigns(small) for small in node.body))
        case cst.Assign():
            return frozenset(n for t in node.targets for n in target_names(t.target))
        case cst.AnnAssign() if node.value is not None:
            return frozenset(target_names(node.target))
        case cst.FunctionDef():
            return frozenset((node.name.value,))
        case cst.If() if node.orelse is not None:
            return assigns(node.body) & assigns(node.orelse)
        case cst.Else():
            return assigns(node.body)
        case _:
            return _NOTHING


_JUMPS: dict[cst.CSTNode, bool] = {}


def jumps(node: cst.CSTNode) -> bool:
    """Return whether a statement holds a ``break`` or ``continue``, of whichever loop."""
    if node not in _JUMPS:
        _JUMPS[node] = isinstance(node, cst.Break | cst.Continue) or any(
            jumps(child) for child in children_of(node) if not isinstance(child, cst.BaseExpression)
        )
    return _JUMPS[node]


def live_before(
    statements: Sequence[cst.CSTNode],
    after: frozenset[str],
    kept: frozenset[str] = _NOTHING,
) -> frozenset[str]:
    """Return the names live before a sequence, given those live after it.

    ``kept`` are names that assignments do not kill, because closures read them.
    """
    live = after
    for statement in reversed(statements):
        live = reads_first(statement) | (live - (assigns(statement) - kept))
    return live
