"""Objects that a result holds twice: made once, by a statement of their own."""

import ast
from collections import Counter
from collections.abc import Iterable, Mapping


def repeated(whole: ast.expr, parts: Iterable[ast.expr]) -> list[ast.expr]:
    """Return the parts that stand at more than one place of an expression, in their order."""
    places: Counter[int] = Counter()
    pending: list[ast.AST] = [whole]
    while pending:
        for child in ast.iter_child_nodes(pending.pop()):
            places[id(child)] += 1
            if places[id(child)] == 1:
                pending.append(child)
    return [part for part in parts if places[id(part)] > 1]


class Named(ast.NodeTransformer):
    """Writes names where parts of an expression stand, given by the part's identity."""

    def __init__(self, names: Mapping[int, str]) -> None:
        self.names = names

    def visit(self, node: ast.AST) -> ast.AST:
        """Return the name of a part that has one."""
        name = self.names.get(id(node))
        if name is not None:
            return ast.Name(id=name, ctx=ast.Load())
        changed: ast.AST = self.generic_visit(node)
        return changed
