"""A graph as stable text, for golden files and ``--print-after``."""

from collections.abc import Sequence

from hcfg.flow import run_order
from hcfg.graph import (
    Branch,
    Entry,
    Hcfg,
    HostBlock,
    LoopHead,
    Node,
    Raise,
    Return,
    SubDnn,
    entry_variables,
    parameter_variables,
)
from hcfg.wording import body_lines, places, spec_text


def dump(graph: Hcfg) -> str:
    """Return the whole graph as text. Objects of the user stand with the user's own words."""
    lines = [f"hcfg {graph.name}({_arguments(parameter_variables(graph), graph)})"]
    for node_id in run_order(graph):
        node = graph.nodes[node_id]
        place = places(node)
        lines += ["", f"{node_id}{_signature(node, graph)}:" + (f"  # {place}" if place else "")]
        lines += [f"    {line}" for line in body_lines(node, graph)]
        lines += [f"    {line}" for line in _edges(node)]
    constants = [n for n, known in graph.knowns.items() if known.path is None]
    if constants:
        lines += ["", f"without a path: {', '.join(constants)}"]
    return "\n".join(lines) + "\n"


def _arguments(names: Sequence[str], graph: Hcfg) -> str:
    return ", ".join(f"{name}: {spec_text(graph.variables[name].spec)}" for name in names)


def _signature(node: Node, graph: Hcfg) -> str:
    match node:
        case SubDnn():
            return f"({', '.join(node.inputs)}) -> {_listed(node.outputs)}"
        case Entry():
            return (
                ""
                if node.function is None
                else f"({_arguments(entry_variables(graph, node), graph)})"
            )
        case HostBlock() | Branch() | LoopHead() | Return() | Raise():
            return ""


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "nothing"


def _edges(node: Node) -> tuple[str, ...]:
    match node:
        case Entry() | SubDnn() | HostBlock() | LoopHead():
            return (f"then {node.then}",)
        case Branch():
            return (f"true: {node.if_true}", f"false: {node.if_false}")
        case Return() | Raise():
            return ()
