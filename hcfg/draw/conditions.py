"""Conditions in full: with what was computed for them in the place of its temporary name."""

import ast
from collections import Counter
from collections.abc import Mapping
from copy import deepcopy

from hcfg.graph import Hcfg, HostBlock
from hcfg.names import names_in
from hcfg.statements import writes
from rewriter.program import HostStatement

_MOST_CHARACTERS = 60
_MOST_STEPS = 8


def spelled_out(condition: ast.expr, graph: Hcfg) -> ast.expr:
    """Return a condition without the temporaries of host code, as far as it stays short."""
    definitions = _temporaries(graph)
    for _ in range(_MOST_STEPS):
        longer = _Substitution(definitions).visit(deepcopy(condition))
        if len(ast.unparse(longer)) > _MOST_CHARACTERS:
            break
        condition = longer
    return condition


def _temporaries(graph: Hcfg) -> Mapping[str, ast.expr]:
    """Return what the variables without a name of the user's stand for, if for one thing."""
    statements = [
        statement
        for node in graph.nodes.values()
        if isinstance(node, HostBlock)
        for statement in node.statements
    ]
    counts = Counter(name for statement in statements for name in writes(statement))
    return {
        statement.target: statement.expression
        for statement in statements
        if isinstance(statement, HostStatement)
        and statement.target is not None
        and counts[statement.target] == 1
        and graph.variables[statement.target].hint.startswith("_")
        and statement.target not in names_in(statement.expression)
    }


class _Substitution(ast.NodeTransformer):
    def __init__(self, definitions: Mapping[str, ast.expr]) -> None:
        self.definitions = definitions

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return deepcopy(self.definitions.get(node.id, node))
