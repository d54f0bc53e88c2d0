"""A region as a program of its own: its arguments are what it reads, its results one per exit."""

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import networkx

from dycl.one_onnx.number import kind_of
from hcfg.edit import fresh_id, with_targets
from hcfg.flow import part_of, run_order
from hcfg.graph import (
    Branch,
    Entry,
    Hcfg,
    LoopHead,
    Node,
    NodeId,
    Return,
    called_functions,
    origins,
    successors,
)
from hcfg.liveness import Liveness, live, node_reads, node_writes
from rewriter.origin import Origin
from rewriter.parameters import Parameter, VariableInput
from rewriter.program import ScalarSpec, TensorSpec, VariableSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """Nodes that are lowered together: one way in, and exits to nodes of the host."""

    nodes: tuple[NodeId, ...]
    """In run order; the first is the head."""
    exits: tuple[NodeId, ...]
    """Where paths go on, in run order: none of them is one of the nodes."""
    slots: Mapping[NodeId, Mapping[str, str]]
    """For each exit the variables that may be assigned on the way to it and are read from there
    on, and which part of the result each one is. Exits share parts."""
    program: Hcfg
    """What the region does: a program of one argument per variable that is read."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the variables that are read before they are assigned."""
        return tuple(parameter.name for parameter in self.program.parameters)

    @property
    def origin(self) -> Origin:
        """Return the first line of it."""
        nodes = (self.program.nodes[node_id] for node_id in self.nodes)
        return next(origin for node in nodes for origin in origins(node))

    @property
    def decisions(self) -> tuple[Origin, ...]:
        """Return the lines of the branches and loops inside."""
        nodes = (self.program.nodes[node_id] for node_id in self.nodes)
        deciding = (node for node in nodes if isinstance(node, Branch | LoopHead))
        return tuple(dict.fromkeys(origin for node in deciding for origin in origins(node)))

    @property
    def width(self) -> int:
        """Return how much goes in and out, and at how many nodes paths go on."""
        parts = {part for each in self.slots.values() for part in each.values()}
        return len(self.inputs) + len(parts) + len(self.exits)


def exits_of(nodes: Collection[NodeId], graph: Hcfg) -> tuple[NodeId, ...]:
    """Return where paths go on after some nodes, in run order."""
    targets = {target for node_id in nodes for target in successors(graph.nodes[node_id])}
    return tuple(n for n in run_order(graph) if n in targets and n not in nodes)


def region_of(nodes: Sequence[NodeId], graph: Hcfg, liveness: Liveness) -> Region:
    """Return some nodes of a graph, of which the first is the only way in, as a region."""
    exits = exits_of(dict.fromkeys(nodes), graph)
    flow: networkx.DiGraph[NodeId] = networkx.DiGraph(
        (target, node_id) for node_id in nodes for target in successors(graph.nodes[node_id])
    )
    slots: dict[NodeId, Mapping[str, str]] = {}
    for target in exits:
        before = networkx.descendants(flow, target)
        ways = [graph.nodes[node_id] for node_id in nodes if node_id in before]
        written = dict.fromkeys(name for node in ways for name in node_writes(node, graph))
        given = [name for name in written if name in liveness.before[target]]
        slots[target] = _slots(given, graph)
    program = _program(nodes, slots, graph)
    return Region(nodes=tuple(nodes), exits=exits, slots=slots, program=program)


def _slots(names: Sequence[str], graph: Hcfg) -> dict[str, str]:
    """Return the part of the result for each of some variables: the first free one of its kind."""
    counts: dict[object, int] = {}
    slots: dict[str, str] = {}
    for name in names:
        kind = _kind(graph.variables[name].spec)
        counts[kind] = counts.get(kind, 0) + 1
        slots[name] = f"{kind} {counts[kind]}"
    return slots


def _kind(spec: VariableSpec) -> str:
    """Return a text for what can share a part of the result."""
    match spec:
        case TensorSpec():
            sizes = ", ".join(map(str, spec.shape))
            return f"{str(spec.dtype).removeprefix('torch.')}[{sizes}]"
        case _:
            assert isinstance(spec, ScalarSpec)
            kind = kind_of(spec.type)
            assert kind is not None
            return kind.__name__


def _program(
    nodes: Sequence[NodeId], slots: Mapping[NodeId, Mapping[str, str]], graph: Hcfg
) -> Hcfg:
    """Return the program that a region is; symbols of sizes mean nothing in it."""
    functions = _called(nodes, graph)
    parts = {n: graph.nodes[n] for f in functions for n in part_of(graph, graph.functions[f].entry)}
    ends: dict[NodeId, NodeId] = {}
    own: dict[NodeId, Node] = {}
    origin = next(origin for n in nodes for origin in origins(graph.nodes[n]))
    for target, given in slots.items():
        ends[target] = fresh_id((*graph.nodes, *own), "return")
        own[ends[target]] = Return(value=_result(target, given), origin=origin)
    inside = {n: with_targets(graph.nodes[n], lambda t: ends.get(t, t)) for n in nodes}
    body = {graph.entry: Entry(then=nodes[0]), **inside, **own, **parts}
    program = replace(
        graph,
        nodes=body,
        parameters=(),
        functions={name: graph.functions[name] for name in functions},
        state=None,
        symbols={},
    )
    read = live(program).before[nodes[0]]
    first = dict.fromkeys(
        (*(name for n in nodes for name in node_reads(graph.nodes[n], graph)), *sorted(read))
    )
    parameters = (
        Parameter(name=name, spec=VariableInput(variable=name, spec=graph.variables[name].spec))
        for name in first
        if name in read
    )
    return replace(program, parameters=tuple(parameters))


def _result(target: NodeId, given: Mapping[str, str]) -> ast.expr:
    """Return the result at an exit: its name, and the parts."""
    keys: list[ast.expr | None] = [ast.Constant("exit"), *map(ast.Constant, given.values())]
    values: list[ast.expr] = [ast.Constant(target)]
    return ast.Dict(keys, [*values, *(ast.Name(name, ast.Load()) for name in given)])


def _called(nodes: Sequence[NodeId], graph: Hcfg) -> list[str]:
    """Return the functions that are called, those that they call included."""
    found: dict[str, None] = {}
    pending = list(nodes)
    while pending:
        for name in called_functions(graph.nodes[pending.pop()]):
            if name not in found:
                found[name] = None
                pending += part_of(graph, graph.functions[name].entry)
    return [name for name in graph.functions if name in found]
