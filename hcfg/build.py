"""RewrittenProgram -> Hcfg: cut the sub-DNNs out of every straight line."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from hcfg.flow import closing_edges, reverse_postorder
from hcfg.graph import (
    Branch,
    Entry,
    Hcfg,
    HostBlock,
    HostFunction,
    LoopHead,
    Node,
    NodeId,
    Raise,
    Return,
    SubDnn,
)
from hcfg.joins import without_dead_copies
from hcfg.liveness import live
from hcfg.round_trips import without_round_trips
from hcfg.schedule import Group, HostGroup, TensorGroup, schedule
from hcfg.statements import all_writes, exposed_reads
from hcfg.verify import verify
from rewriter import program as source
from rewriter import program_names
from rewriter.origin import Origin
from rewriter.parameters import input_variables
from rewriter.program import (
    BlockId,
    KnownReference,
    RewrittenProgram,
    Statement,
    SymbolRange,
    Variable,
)


def build_hcfg(program: RewrittenProgram) -> Hcfg:
    """Return the graph of a rewritten program, with as few sub-DNNs as its blocks allow."""
    program = without_round_trips(program)
    counts: Counter[str] = Counter()
    nodes = _function_nodes(program.entry, None, program, counts)
    for name, function in program.functions.items():
        nodes |= _function_nodes(function, name, program, counts)
    graph = Hcfg(
        name=program.name,
        nodes=nodes,
        entry=_entry_id(None),
        variables={n: v for f in program.all_functions for n, v in f.variables.items()},
        parameters=program.entry.parameters,
        knowns=program.knowns,
        source_file=program.source_file,
        functions={
            name: HostFunction(
                entry=_entry_id(name),
                parameters=tuple(n for p in function.parameters for n in input_variables(p.spec)),
            )
            for name, function in program.functions.items()
        },
        notes=program.notes,
        state=program.state,
        symbols=_symbols(program),
    )
    graph = _with_outputs(graph)
    verify(graph)
    return graph


def _symbols(program: RewrittenProgram) -> Mapping[str, SymbolRange]:
    """Return the ranges of all symbols; functions may share a name, but never a sub-DNN."""
    found: dict[str, SymbolRange] = {}
    for function in program.all_functions:
        for name, bounds in function.symbols.items():
            found[name] = bounds.around(found.get(name, bounds))
    return found


def _entry_id(function: str | None) -> NodeId:
    return "entry" if function is None else f"entry_{function}"


def _function_nodes(
    original: source.Function, name: str | None, program: RewrittenProgram, counts: Counter[str]
) -> dict[NodeId, Node]:
    """Return the nodes of the program itself, or of the specialised function ``name``."""
    function = without_dead_copies(original)
    lines = _straight_lines(function)
    order = reverse_postorder(
        function.entry, lambda block: program_names.successors(lines[block].terminator)
    )
    heads = _loop_heads(function)
    variables, knowns = function.variables, program.knowns
    parts = {block: _parts(lines[block], block in heads, variables, knowns) for block in order}
    entry = Entry(then="", function=name)
    return _nodes(function, entry, lines, parts, counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _StraightLine:
    """Blocks that always run one after the other, as one."""

    statements: tuple[Statement, ...]
    terminator: source.Terminator


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    """The place of a loop head."""

    origin: Origin | None


_Leaving: TypeAlias = source.Branch | source.Return | source.Raise
_Part: TypeAlias = _Head | Group | _Leaving
"""What becomes one node."""


def _straight_lines(function: source.Function) -> Mapping[BlockId, _StraightLine]:
    """Return the blocks by id, each joined with the blocks that only it jumps to."""
    arrivals = Counter(
        target
        for block in function.blocks.values()
        for target in program_names.successors(block.terminator)
    )
    arrivals[function.entry] += 1
    lines: dict[BlockId, _StraightLine] = {}
    for block_id, first in function.blocks.items():
        statements, end = list(first.statements), first.terminator
        while isinstance(end, source.Jump) and arrivals[end.target] == 1:
            block = function.blocks[end.target]
            statements += block.statements
            end = block.terminator
        lines[block_id] = _StraightLine(statements=tuple(statements), terminator=end)
    return lines


def _loop_heads(function: source.Function) -> frozenset[BlockId]:
    closing = closing_edges(
        function.entry,
        lambda block: program_names.successors(function.blocks[block].terminator),
        function.name,
    )
    return frozenset(head for _, head in closing)


def _parts(
    line: _StraightLine,
    is_head: bool,
    variables: Mapping[str, Variable],
    knowns: Mapping[str, KnownReference],
) -> tuple[_Part, ...]:
    parts: list[_Part] = []
    end = line.terminator
    if is_head:
        first = line.statements[0].origin if line.statements else None
        parts.append(_Head(origin=end.origin if isinstance(end, source.Branch) else first))
    parts += schedule(line.statements, variables, knowns)
    if not isinstance(end, source.Jump):
        parts.append(end)
    return tuple(parts)


def _nodes(
    function: source.Function,
    entry: Entry,
    lines: Mapping[BlockId, _StraightLine],
    parts: Mapping[BlockId, tuple[_Part, ...]],
    counts: Counter[str],
) -> dict[NodeId, Node]:
    """Number the parts in reading order and tie them together."""
    names: dict[BlockId, list[NodeId]] = {}
    for block, block_parts in parts.items():
        names[block] = []
        for part in block_parts:
            kind = _kind(part)
            names[block].append(f"{kind}_{counts[kind]}")
            counts[kind] += 1

    def first_node(block: BlockId) -> NodeId:
        # A line without parts only jumps; a loop of such lines has a head, which is a part.
        return names[block][0] if names[block] else after(block)

    def after(block: BlockId) -> NodeId:
        end = lines[block].terminator
        return first_node(end.target) if isinstance(end, source.Jump) else ""

    nodes: dict[NodeId, Node] = {
        _entry_id(entry.function): replace(entry, then=first_node(function.entry))
    }
    for block, block_parts in parts.items():
        followers = [*names[block][1:], after(block)]
        for name, part, then in zip(names[block], block_parts, followers, strict=False):
            if isinstance(part, source.Branch):
                nodes[name] = Branch(
                    condition=part.condition,
                    if_true=first_node(part.if_true),
                    if_false=first_node(part.if_false),
                    origin=part.origin,
                    sizes_if_true=part.sizes_if_true,
                    sizes_if_false=part.sizes_if_false,
                )
            else:
                nodes[name] = _node(part, then, function.variables)
    return nodes


def _kind(part: _Part) -> str:
    match part:
        case _Head():
            return "loop"
        case TensorGroup():
            return "subdnn"
        case HostGroup():
            return "host"
        case source.Branch():
            return "branch"
        case source.Return():
            return "return"
        case source.Raise():
            return "raise"


def _node(
    part: _Head | Group | source.Return | source.Raise,
    then: NodeId,
    variables: Mapping[str, Variable],
) -> Node:
    match part:
        case _Head():
            return LoopHead(then=then, origin=part.origin)
        case TensorGroup():
            return SubDnn(
                statements=part.statements,
                inputs=exposed_reads(part.statements, variables),
                outputs=all_writes(part.statements),  # until liveness is known
                then=then,
            )
        case HostGroup():
            return HostBlock(statements=part.statements, then=then)
        case source.Return():
            return Return(value=part.value, origin=part.origin)
        case source.Raise():
            return Raise(exception=part.exception, origin=part.origin)


def _with_outputs(graph: Hcfg) -> Hcfg:
    """Return the graph with only those outputs that are read later."""
    after = live(graph).after
    nodes = {
        node_id: replace(node, outputs=tuple(n for n in node.outputs if n in after[node_id]))
        if isinstance(node, SubDnn)
        else node
        for node_id, node in graph.nodes.items()
    }
    return replace(graph, nodes=nodes)
