"""Which variables may still be read: backward liveness over the blocks of a function."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import networkx as nx

from rewriter.program import (
    Block,
    BlockId,
    CallStatement,
    Copy,
    Function,
    HostStatement,
    Statement,
    TensorFromHost,
    TensorStatement,
    Terminator,
)
from rewriter.program_names import (
    expression_names,
    statement_expressions,
    statement_targets,
    successors,
    terminator_expressions,
)

_NAMES: WeakKeyDictionary[ast.expr, frozenset[str]] = WeakKeyDictionary()
"""Expressions are never mutated, so their names are collected once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Liveness:
    """Variables that may be read later, at the border of each block."""

    live_in: Mapping[BlockId, frozenset[str]]
    live_out: Mapping[BlockId, frozenset[str]]


def names_in(expression: ast.expr) -> frozenset[str]:
    """Return every name in an expression, variable or not."""
    names = _NAMES.get(expression)
    if names is None:
        names = _NAMES[expression] = frozenset(expression_names(expression))
    return names


def statement_names(statement: Statement) -> frozenset[str]:
    """Return every name that a statement reads, variable or not."""
    names = frozenset[str]().union(*map(names_in, statement_expressions(statement)))
    match statement:
        case TensorStatement():
            return names.union(old for _, old in statement.updates)
        case HostStatement() | TensorFromHost() | Copy() | CallStatement():
            return names


def terminator_names(terminator: Terminator) -> frozenset[str]:
    """Return every name that the end of a block reads, variable or not."""
    return frozenset[str]().union(*map(names_in, terminator_expressions(terminator)))


def compute_liveness(function: Function) -> Liveness:
    """Return the variables live at the start and the end of every reachable block."""
    graph = control_flow_graph(function)
    order = list(nx.dfs_postorder_nodes(graph, function.entry))
    reads, writes = {}, {}
    for name in order:
        reads[name], writes[name] = _block_effect(function, function.blocks[name])
    live_in = {block: frozenset[str]() for block in order}
    live_out = dict(live_in)
    pending = dict.fromkeys(reversed(order))
    while pending:
        block, _ = pending.popitem()
        live_out[block] = frozenset[str]().union(*(live_in[after] for after in graph[block]))
        before = reads[block] | (live_out[block] - writes[block])
        if before != live_in[block]:
            live_in[block] = before
            pending.update(dict.fromkeys(graph.predecessors(block)))
    return Liveness(live_in=live_in, live_out=live_out)


def control_flow_graph(function: Function) -> "nx.DiGraph[BlockId]":
    """Return the blocks reachable from the entry and their edges."""
    graph: nx.DiGraph[BlockId] = nx.DiGraph()
    graph.add_node(function.entry)
    pending = [function.entry]
    while pending:
        block = pending.pop()
        for after in successors(function.blocks[block].terminator):
            if after not in graph:
                pending.append(after)
            graph.add_edge(block, after)
    return graph


def live_after_statements(
    function: Function, block: BlockId, liveness: Liveness
) -> Iterator[tuple[Statement, frozenset[str]]]:
    """Yield the statements of a block, last first, each with the variables live after it."""
    content = function.blocks[block]
    live = liveness.live_out[block] | (
        terminator_names(content.terminator) & function.variables.keys()
    )
    for statement in reversed(content.statements):
        yield statement, live
        live = live.difference(statement_targets(statement)).union(
            statement_names(statement) & function.variables.keys()
        )


def _block_effect(function: Function, block: Block) -> tuple[frozenset[str], frozenset[str]]:
    """Return the variables read before they are written, and those written."""
    read = set(terminator_names(block.terminator))
    written: set[str] = set()
    for statement in reversed(block.statements):
        targets = statement_targets(statement)
        written.update(targets)
        read.difference_update(targets)
        read.update(statement_names(statement))
    return frozenset(read & function.variables.keys()), frozenset(written)
