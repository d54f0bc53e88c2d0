"""Operands that a statement is given and does nothing with.

A module that gets the feature maps of all scales as one list may look at the last only. It runs
the same operations with None in the place of the others, which then need not be there.
"""

import ast
import copy
from collections.abc import Collection
from dataclasses import replace

from torch import nn

from hcfg.graph import SubDnn
from hcfg.pure_code import PureCode
from hcfg.statements import exposed_reads, writes
from rewriter.program import TensorStatement


def may_be_ignored(statement: TensorStatement, code: PureCode) -> frozenset[str]:
    """Return the operands that a statement may not need, as far as can be told without a trial."""
    node = _alone(statement, code)
    if not _calls_module(statement, code) or len(node.inputs) < 2 or not node.outputs:
        return frozenset()
    return frozenset(node.inputs)


def ignored_operands(statement: TensorStatement, code: PureCode) -> frozenset[str]:
    """Return the operands that a statement does not need."""
    node = _alone(statement, code)
    if not may_be_ignored(statement, code):
        return frozenset()
    recording = code.recorded(node)
    if recording is None:
        return frozenset()
    needed = frozenset().union(*(output.depends_on for output in recording.outputs))
    ignored = frozenset(node.inputs) - needed
    return ignored if ignored and without_operands(statement, ignored, code) else frozenset()


def without_operands(
    statement: TensorStatement, names: Collection[str], code: PureCode
) -> TensorStatement | None:
    """Return a statement with None for some operands, None where it would not do the same."""
    expression = _Without(names).visit(copy.deepcopy(statement.expression))
    changed = replace(statement, expression=expression, does=None)
    node = _alone(statement, code)
    before = code.recorded(node)
    after = code.recorded(replace(node, statements=(changed,)))
    is_same = (
        before is not None
        and after is not None
        and not before.opaque
        and before.operations == after.operations
        and before.outputs == after.outputs
        and [*map(id, before.weights)] == [*map(id, after.weights)]
    )
    return changed if is_same else None


def _calls_module(statement: TensorStatement, code: PureCode) -> bool:
    """Return whether code of a module may do as it likes with its operands."""
    match statement.expression:
        case ast.Call(func=ast.Name(id=name)) if name in code.graph.knowns:
            return isinstance(code.graph.knowns[name].value, nn.Module)
        case _:  # an operation of torch's: it needs what it is given
            return False


def _alone(statement: TensorStatement, code: PureCode) -> SubDnn:
    inputs = exposed_reads((statement,), code.graph.variables)
    return SubDnn(statements=(statement,), inputs=inputs, outputs=writes(statement), then="")


class _Without(ast.NodeTransformer):
    """Puts None in the place of names."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(value=None) if node.id in self._names else node
