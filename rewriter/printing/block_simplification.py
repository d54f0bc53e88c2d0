"""Removes needless blocks: unreachable, empty, or continued by one other block only."""

import ast
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import networkx as nx

from rewriter.printing.liveness import control_flow_graph
from rewriter.program import (
    Block,
    BlockId,
    Branch,
    Function,
    Jump,
    Raise,
    Return,
    ScalarSpec,
    Terminator,
    Variable,
)
from rewriter.program_names import successors


def simplify_blocks(function: Function) -> Function:
    """Thread jumps through empty blocks, drop needless branches, join straight lines.

    Returns the same function if there is nothing to do.
    """
    reachable = _only_reachable(function)
    threaded = replace(reachable, blocks=_threaded(reachable))
    blocks = _joined(_only_reachable(threaded).blocks, function.entry)
    same = len(blocks) == len(function.blocks) and all(
        block is function.blocks[name] for name, block in blocks.items()
    )
    return function if same else replace(function, blocks=blocks)


def loop_heads(function: Function) -> frozenset[BlockId]:
    """Return the blocks that a back edge leads to (the graph is reducible)."""
    graph = control_flow_graph(function)
    finished = {b: i for i, b in enumerate(nx.dfs_postorder_nodes(graph, function.entry))}
    return frozenset(after for block, after in graph.edges if finished[after] >= finished[block])


def _only_reachable(function: Function) -> Function:
    graph = control_flow_graph(function)
    blocks = {name: block for name, block in function.blocks.items() if name in graph}
    return function if len(blocks) == len(function.blocks) else replace(function, blocks=blocks)


def _threaded(function: Function) -> Mapping[BlockId, Block]:
    """Lead every jump past empty blocks, and turn needless branches into jumps."""
    threading = _Threading(function.blocks, loop_heads(function))
    blocks = {}
    for name, block in function.blocks.items():
        terminator = _simplified(threading.terminator(block.terminator), function.variables)
        same = terminator == block.terminator
        blocks[name] = block if same else replace(block, terminator=terminator)
    return blocks


@dataclass(frozen=True, slots=True)
class _Threading:
    blocks: Mapping[BlockId, Block]
    heads: frozenset[BlockId]

    def terminator(self, terminator: Terminator) -> Terminator:
        match terminator:
            case Jump():
                return Jump(target=self.destination(terminator.target))
            case Branch():
                return replace(
                    terminator,
                    if_true=self.destination(terminator.if_true),
                    if_false=self.destination(terminator.if_false),
                )
            case Return() | Raise():
                return terminator

    def destination(self, block: BlockId) -> BlockId:
        """Return where control ends up after the empty blocks that start at ``block``."""
        passed = {block}
        while (after := self._after_empty(block)) is not None and after not in passed:
            passed.add(after)
            block = after
        return block

    def _after_empty(self, block: BlockId) -> BlockId | None:
        content = self.blocks[block]
        if content.statements or not isinstance(content.terminator, Jump):
            return None
        after = content.terminator.target
        # The empty head of a loop that starts with another loop keeps the two apart.
        return None if block in self.heads and after in self.heads else after


def _simplified(terminator: Terminator, variables: Mapping[str, Variable]) -> Terminator:
    match terminator:
        case Branch(condition=ast.Constant(value=value)):
            return Jump(target=terminator.if_true if value else terminator.if_false)
        case Branch() if terminator.if_true == terminator.if_false and _is_harmless(
            terminator.condition, variables
        ):
            return Jump(target=terminator.if_true)
        case Branch() | Jump() | Return() | Raise():
            return terminator


def _joined(blocks: Mapping[BlockId, Block], entry: BlockId) -> Mapping[BlockId, Block]:
    """Append every block to its only predecessor where that one just goes on to it."""
    predecessors = Counter(
        after for block in blocks.values() for after in successors(block.terminator)
    )
    joined = dict(blocks)
    for name in blocks:
        if name not in joined:
            continue
        statements = list(joined[name].statements)
        terminator = joined[name].terminator
        while (
            isinstance(terminator, Jump)
            and predecessors[terminator.target] == 1
            and terminator.target not in (entry, name)
        ):
            continuation = joined.pop(terminator.target)
            statements.extend(continuation.statements)
            terminator = continuation.terminator
        if terminator is not joined[name].terminator:
            joined[name] = Block(statements=tuple(statements), terminator=terminator)
    return joined


_HARMLESS = (
    ast.Constant,
    ast.BoolOp,
    ast.boolop,
    ast.UnaryOp,
    ast.unaryop,
    ast.Compare,
    ast.cmpop,
    ast.Name,
    ast.expr_context,
)


def _is_harmless(condition: ast.expr, variables: Mapping[str, Variable]) -> bool:
    """Return whether a condition can be left out: it neither raises nor changes anything."""
    return all(
        isinstance(node, _HARMLESS)
        and not (isinstance(node, ast.Name) and not _is_number(variables.get(node.id)))
        for node in ast.walk(condition)
    )


def _is_number(variable: Variable | None) -> bool:
    """Return whether a name holds a number; the truth of a tensor or object may raise."""
    if variable is None or not isinstance(variable.spec, ScalarSpec):
        return False
    return variable.spec.type in (bool, int, float)
