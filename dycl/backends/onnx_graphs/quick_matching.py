"""The exporter's optimizer finds out quickly that a rule cannot begin at a node.

For a rule whose pattern has several outputs it lists all nodes of the graph before it looks at the
one that the pattern is to begin at, and does so for every node: the time grows with the square of
the graph. Almost always another operator stands there, which is told at once.
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
    """Have the optimizer within this block look at a pattern's first node first.

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
        first = self.pattern.output_nodes[0]
        if first.op.matches(node.op_type) and first.domain.matches(node.domain):
            return original(self, model, graph_or_function, node, **options)
        return MatchResult().fail("Another operator is at the node.")

    with _LOCK, mock.patch.object(SimplePatternMatcher, "match", match):
        yield
