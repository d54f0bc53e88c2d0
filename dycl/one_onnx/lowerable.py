"""Which nodes of a program can stand in an ONNX file, whatever the others need."""

from collections.abc import Mapping
from dataclasses import dataclass

from dycl.one_onnx.bounds import integer_bounds
from dycl.one_onnx.examining import examine
from dycl.one_onnx.number import ANY
from dycl.one_onnx.numbers import Numbers
from dycl.one_onnx.refusing import Problems
from dycl.one_onnx.result_patterns import part_problems
from dycl.one_onnx.results import Results, results_of
from dycl.one_onnx.statements import Statements
from dycl.one_onnx.weights import Weights
from hcfg.flow import owners
from hcfg.graph import Branch, Hcfg, HostBlock, LoopHead, NodeId, SubDnn, called_functions


@dataclass(frozen=True, slots=True, kw_only=True)
class Lowerable:
    """What of a program has the same meaning in ONNX."""

    graph: Hcfg
    numbers: Numbers
    nodes: frozenset[NodeId]
    """Straight lines, branches and loop heads, which are one by one as Python has them."""
    results: Mapping[str | None, Results]
    """Of the functions that can be copied in whole."""
    reasons: Problems
    """Why the others stay on the host."""


def lowerable(graph: Hcfg) -> Lowerable:
    """Look at each node of a graph. Integers of the host may be of any size here."""
    numbers = Numbers(graph.variables, graph.knowns, integer_bounds(graph, unknown=ANY))
    problems = examine(graph, Statements(graph, numbers, Weights(None)))
    owner = owners(graph)
    whole = _without_problems(graph, problems, owner, frozenset(graph.functions))
    results = results_of(graph, numbers, Problems(), sorted(whole))
    for node_id, reason, origin in part_problems(graph, results):
        problems[node_id].add(reason, origin)
    whole = _without_problems(graph, problems, owner, whole)
    reasons = Problems()
    for node_id in problems:
        reasons.update(problems[node_id])
    return Lowerable(
        graph=graph,
        numbers=numbers,
        nodes=frozenset(
            node_id
            for node_id, node in graph.nodes.items()
            if isinstance(node, SubDnn | HostBlock | Branch | LoopHead)
            and not problems[node_id].found
            and whole.issuperset(called_functions(node))
        ),
        results={name: results[name] for name in sorted(whole)},
        reasons=reasons,
    )


def _without_problems(
    graph: Hcfg,
    problems: Mapping[NodeId, Problems],
    owner: Mapping[NodeId, str | None],
    functions: frozenset[str],
) -> frozenset[str]:
    """Return those functions that have no problem, and call only such functions."""
    while wrong := {
        function
        for node_id, function in owner.items()
        if function in functions
        and (
            problems[node_id].found
            or not functions.issuperset(called_functions(graph.nodes[node_id]))
        )
    }:
        functions -= wrong
    return functions
