"""Which part of a function's result each variable of a call gets."""

from collections.abc import Mapping

from dycl.one_onnx.refusing import Inexpressible, Problems
from dycl.one_onnx.results import Results
from dycl.one_onnx.types import type_of_variable
from hcfg.graph import Hcfg, HostBlock
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


def require_parts(graph: Hcfg, results: Mapping[str | None, Results], problems: Problems) -> None:
    """Note calls that take a part of a result which is no tensor or number of one type."""
    for node in graph.nodes.values():
        for statement in node.statements if isinstance(node, HostBlock) else ():
            if not isinstance(statement, CallStatement):
                continue
            called = results[statement.function]
            types = dict(zip(called.places, called.types, strict=True))
            for name, place in pattern_places(statement.pattern, called.apart.root):
                try:
                    element, _ = type_of_variable(graph.variables[name])
                except Inexpressible as reason:
                    problems.add(reason, statement.origin)
                    continue
                if place not in types or types[place][0] != element:
                    problems.add("a result of one type or of another", statement.origin)
