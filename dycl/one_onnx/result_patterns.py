"""Which part of a function's result each variable of a call gets."""

from collections.abc import Iterator, Mapping

from dycl.one_onnx.refusing import Inexpressible
from dycl.one_onnx.results import Results
from dycl.one_onnx.types import type_of_variable
from hcfg.graph import Hcfg, HostBlock, NodeId
from rewriter.origin import Origin
from rewriter.program import CallStatement, Pattern


def pattern_places(pattern: Pattern, place: str) -> list[tuple[str, str]]:
    """Return the variables of a pattern, and which part of the result each one gets."""
    match pattern:
        case None:
            return []
        case str():
            return [(pattern, place)]
        case tuple():
            parts = (pattern_places(p, f"{place}[{i}]") for i, p in enumerate(pattern))
            return [pair for found in parts for pair in found]


def part_problems(
    graph: Hcfg, results: Mapping[str | None, Results]
) -> Iterator[tuple[NodeId, object, Origin]]:
    """Yield the calls that take a part of a result which is no tensor or number of one type."""
    for node_id, node in graph.nodes.items():
        for statement in node.statements if isinstance(node, HostBlock) else ():
            if not isinstance(statement, CallStatement) or statement.function not in results:
                continue
            called = results[statement.function]
            types = dict(zip(called.places, called.types, strict=True))
            for name, place in pattern_places(statement.pattern, called.apart.root):
                try:
                    element, _ = type_of_variable(graph.variables[name])
                except Inexpressible as reason:
                    yield node_id, reason, statement.origin
                    continue
                if place not in types or types[place][0] != element:
                    yield node_id, "a result of one type or of another", statement.origin
