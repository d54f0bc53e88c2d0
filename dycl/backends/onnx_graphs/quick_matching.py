"""The exporter's optimizer finds out quickly that a rule cannot begin at a node.

For a rule whose pattern has several outputs it lists all nodes of the graph before it looks at the
one that the pattern is to begin at, and tries every combination of nodes: the time grows with the
square of the graph. Almost always another operator stands there, which is told at once; and where
all outputs read one value, only nodes that read it are tried.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from onnxscript import ir
from onnxscript.rewriter import MatchResult
from onnxscript.rewriter._matcher import SimplePatternMatcher

_LOCK = threading.Lock()


@contextmanager
def quick_matching() -> Iterator[None]:
    """Have the optimizer within this block look at few nodes for each rule.

    One thread optimizes at a time: what is replaced belongs to all of them.
    """
    original = SimplePatternMatcher.match

    def match(
        self: SimplePatternMatcher,
        model: ir.Model,
        graph_or_function: ir.Graph | ir.Function,
        node: ir.Node,
        **options: Any,
    ) -> MatchResult:
        first, *others = self.pattern.output_nodes
        if not (first.op.matches(node.op_type) and first.domain.matches(node.domain)):
            return MatchResult().fail("Another operator is at the node.")
        candidates: Any = graph_or_function
        if others and _reads_one_value(first, others) and node.inputs and node.inputs[0]:
            candidates = _Readers(graph_or_function, node.inputs[0])
        return original(self, model, candidates, node, **options)

    with _LOCK, mock.patch.object(SimplePatternMatcher, "match", match):
        yield


def _reads_one_value(first: Any, others: list[Any]) -> bool:
    """Return whether the nodes of a pattern have the same value as their first input."""
    return all(each.inputs and each.inputs[0] is first.inputs[0] for each in others)


class _Readers:
    """The nodes of a graph that read a value, in the graph's order; stands for the graph."""

    def __init__(self, graph_or_function: ir.Graph | ir.Function, value: ir.Value) -> None:
        self.graph = (
            graph_or_function
            if isinstance(graph_or_function, ir.Graph)
            else graph_or_function.graph
        )
        readers = set(value.consumers())
        if len(readers) > 1:
            self._nodes = [node for node in graph_or_function if node in readers]
        else:
            self._nodes = list(readers)

    def __iter__(self) -> Iterator[ir.Node]:
        return iter(self._nodes)
