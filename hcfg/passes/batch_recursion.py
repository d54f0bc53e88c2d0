"""Batching in one call: tensor code of a recursive function runs for many of its calls at once."""

import ast
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import ClassVar

from hcfg.batched_code import OfBatch
from hcfg.batching import functions_in_batches, subdnns_of
from hcfg.edit import fresh_id, ordered
from hcfg.fakes import has_unknown_numbers
from hcfg.graph import Entry, Hcfg, HostFunction, Node, NodeId, Return, SubDnn
from hcfg.recording import Recording
from hcfg.report import Report
from rewriter.program import (
    KnownReference,
    SymbolRange,
    TensorSpec,
    TensorStatement,
    Variable,
)

WORTH = 1 << 20
"""Bytes of weights that the largest sub-DNN of a function reads, from which on batches are faster
for most trees: less stays in the processor's caches from one call to the next anyway, and a call
alone takes less time than to put batches together (``python -m benchmarks.batches``)."""

_SMALLEST = 2
"""The least batch: one alone is computed by the sub-DNN itself."""


@dataclass(frozen=True, slots=True)
class BatchRecursion:
    """Choose the functions whose tensor code is put off; then add sub-DNNs for batches to theirs.

    rewrite:
        h = subdnn_2(l, r)        ->        h = subdnn_2(l, r)
                                            def subdnn_2_in_batches(l_1, r_1):
                                                return subdnn_3(l_1, r_1)

    The host writes down the calls of ``subdnn_2`` and then calls ``subdnn_3`` (``_batching.py``).

    Chosen is before paths are merged: what that would save, a batch saves as well, and the fewer
    kinds of sub-DNNs there are, the larger batches get.
    """

    name: ClassVar[str] = "batch-recursion"
    chooses: bool = False
    """Whether it only names the functions in the graph."""

    def run(self, graph: Hcfg, report: Report) -> Hcfg:
        """Return the graph with more sub-DNNs, as functions that nothing in it calls."""
        if self.chooses:
            return self._chosen(graph, report)
        if graph.batches or not graph.put_off:
            return graph
        names = functions_in_batches(graph, _CanBatch(graph, report))
        graph = replace(
            graph,
            batched=tuple(name for name in graph.batched if name in names),
            batched_together=tuple(name for name in graph.batched_together if name in names),
        )
        for node_id in subdnns_of(graph, graph.put_off):
            code = report.batched_codes.of(node_id, graph, report.recordings)
            assert code is not None
            graph = with_batches(graph, node_id, code)
            report.note(self.name, node_id, "runs in batches")
        return ordered(graph)

    def _chosen(self, graph: Hcfg, report: Report) -> Hcfg:
        names = functions_in_batches(graph, _CanBatch(graph, report))
        worth = tuple(name for name in names if _weight(graph, name, report) >= WORTH)
        others = tuple(name for name in names if name not in worth and graph.many_inputs)
        return replace(graph, batched=worth, batched_together=others) if names else graph


def _weight(graph: Hcfg, name: str, report: Report) -> int:
    """Return the bytes of weights that the largest sub-DNN of a function reads."""
    recordings = (_recorded(graph, node_id, report) for node_id in subdnns_of(graph, [name]))
    return max(sum(w.nbytes for w in recording.weights) for recording in recordings)


def _recorded(graph: Hcfg, node_id: NodeId, report: Report) -> Recording:
    node = graph.nodes[node_id]
    assert isinstance(node, SubDnn)
    return report.recordings.of(node_id, node, graph)


@dataclass(frozen=True, slots=True)
class _CanBatch:
    graph: Hcfg
    report: Report

    def __call__(self, node_id: NodeId) -> bool:
        node = self.graph.nodes[node_id]
        assert isinstance(node, SubDnn)
        # What is put off has no sizes yet that the host could tell apart.
        is_known = not has_unknown_numbers(node, self.graph)
        codes = self.report.batched_codes
        return is_known and codes.of(node_id, self.graph, self.report.recordings) is not None


def with_batches(graph: Hcfg, node_id: NodeId, code: OfBatch) -> Hcfg:
    """Return the graph with a function that computes a sub-DNN for batches."""
    node = graph.nodes[node_id]
    assert isinstance(node, SubDnn)
    symbol = _symbol(graph)
    variables = dict(graph.variables)
    inputs = [_added(variables, name, symbol) for name in node.inputs]
    outputs = [_added(variables, name, symbol) for name in node.outputs]
    known = _unused("batch", graph.knowns)
    function = f"{node_id}_in_batches"
    statement = TensorStatement(
        pattern=tuple(outputs),
        expression=ast.Call(_name(known), [_name(name) for name in inputs], []),
        origin=node.statements[0].origin,
        may_raise=any(isinstance(s, TensorStatement) and s.may_raise for s in node.statements),
    )
    nodes: dict[NodeId, Node] = dict(graph.nodes)
    leaving = fresh_id(nodes, "return")
    nodes[leaving] = Return(
        value=ast.Tuple([_name(name) for name in outputs], ast.Load()), origin=statement.origin
    )
    computing = fresh_id(nodes, "subdnn")
    nodes[computing] = SubDnn(
        statements=(statement,), inputs=tuple(inputs), outputs=tuple(outputs), then=leaving
    )
    entry = f"entry_{function}"
    nodes[entry] = Entry(then=computing, function=function)
    return replace(
        graph,
        nodes=nodes,
        variables=variables,
        knowns={**graph.knowns, known: KnownReference(name=known, path=None, value=code)},
        symbols={**graph.symbols, symbol: SymbolRange(minimum=_SMALLEST)},
        functions={
            **graph.functions,
            function: HostFunction(entry=entry, parameters=tuple(inputs)),
        },
        batches={**graph.batches, node_id: computing},
    )


def _symbol(graph: Hcfg) -> str:
    """Return the symbol of the size of batches, the same for all."""
    for computing in graph.batches.values():
        node = graph.nodes[computing]
        assert isinstance(node, SubDnn)
        specs = [graph.variables[name].spec for name in node.inputs]
        sizes = [spec.shape[0] for spec in specs if isinstance(spec, TensorSpec)]
        assert isinstance(sizes[0], str)
        return sizes[0]
    return _unused("batch", graph.symbols)


def _added(variables: dict[str, Variable], name: str, symbol: str) -> str:
    """Add the variable for a batch of what another one holds; return its name.

    A number is the same for all of the batch.
    """
    spec = variables[name].spec
    if isinstance(spec, TensorSpec):
        spec = replace(spec, shape=(symbol, *spec.shape))
    new = _unused(name, variables)
    variables[new] = Variable(name=new, hint=variables[name].hint, spec=spec)
    return new


def _unused(name: str, taken: Collection[str]) -> str:
    number, found = 0, name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())
