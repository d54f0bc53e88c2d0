"""What a drawing shows: a box for each node, an arrow for each edge."""

import ast
import re
from dataclasses import dataclass, replace

from hcfg.draw.conditions import spelled_out
from hcfg.flow import back_edges, owners, run_order
from hcfg.graph import (
    Branch,
    Entry,
    Hcfg,
    HostBlock,
    HostCode,
    LoopHead,
    Node,
    NodeId,
    Raise,
    Return,
    SubDnn,
    called_functions,
    entry_variables,
    kind_of,
    variables_in,
)
from hcfg.wording import body_lines, places, source_lines, spec_text
from rewriter.program import Copy

_MOST_LINES = 8
_MOST_CHARACTERS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A node, in words."""

    node: NodeId
    kind: str
    """``subdnn``, ``branch``, ...: decides the colour."""
    title: str
    lines: tuple[str, ...]
    """What stands under the title, cut to a readable size."""
    details: tuple[str, ...]
    """All there is to say, for those who point at the box."""
    function: str | None = None
    """The specialised function that the node belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    """An edge. ``label`` is the outcome of a branch, or empty."""

    source: NodeId
    target: NodeId
    label: str
    closes_loop: bool
    calls: bool = False
    """Whether it leads to a function that the source calls: no edge of the graph."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A whole drawing, before it has places and sizes."""

    title: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


def picture_of(graph: Hcfg) -> Picture:
    """Return what a drawing of ``graph`` shows, in the order in which nodes run."""
    closing = set(back_edges(graph))
    order = run_order(graph)
    functions = owners(graph)
    edges = tuple(
        Arrow(source=node_id, target=target, label=label, closes_loop=(node_id, target) in closing)
        for node_id in order
        for label, target in labelled_successors(graph.nodes[node_id])
    )
    calls = tuple(
        Arrow(
            source=node_id,
            target=graph.functions[name].entry,
            label="calls",
            # A function may lead to its own start again.
            closes_loop=functions[node_id] is not None,
            calls=True,
        )
        for node_id in order
        for name in dict.fromkeys(called_functions(graph.nodes[node_id]))
    )
    return Picture(
        title=graph.name,
        boxes=tuple(
            replace(_box(node_id, graph.nodes[node_id], graph), function=functions[node_id])
            for node_id in order
        ),
        arrows=(*edges, *calls),
    )


def labelled_successors(node: Node) -> tuple[tuple[str, NodeId], ...]:
    """Return the edges out of a node, each with what it stands for."""
    match node:
        case Entry() | SubDnn() | HostBlock() | LoopHead():
            return (("", node.then),)
        case Branch():
            return (("true", node.if_true), ("false", node.if_false))
        case Return() | Raise():
            return ()


def _box(node_id: NodeId, node: Node, graph: Hcfg) -> Box:
    if isinstance(node, Branch):
        node = replace(node, condition=spelled_out(node.condition, graph))
    code = [_with_hints(line, graph) for line in body_lines(node, graph)]
    details = [_with_hints(line, graph) for line in _signature(node, graph)] + code
    details += [f"{o.file}:{o.line}: {o.text.strip()}" for o in source_lines(node)]
    return Box(
        node=node_id,
        kind=kind_of(node),
        title=" · ".join(part for part in (node_id, places(node)) if part),
        lines=tuple(_shortened(_shown(node, graph, code))),
        details=tuple(details),
    )


def _with_hints(line: str, graph: Hcfg) -> str:
    """Return a line of code with the user's names for variables, even where not unique."""

    def hint(match: re.Match[str]) -> str:
        variable = graph.variables.get(match[0])
        return match[0] if variable is None else variable.hint

    return re.sub(r"\b[^\W\d]\w*\b", hint, line)


def _shown(node: Node, graph: Hcfg, code: list[str]) -> list[str]:
    """Return the user's own lines for tensor code, and the program's for host code."""
    match node:
        case SubDnn():
            found = source_lines(node)
            several = len({origin.file for origin in found}) > 1
            return [
                f"{f'{origin.file}:' if several else ''}{origin.line}  {origin.text.strip()}"
                for origin in found
            ]
        case Entry():
            return [_with_hints(line, graph) for line in _signature(node, graph)]
        case HostBlock():
            kept = [_without_renamings(statement, graph) for statement in node.statements]
            plain = replace(node, statements=tuple(s for s in kept if s is not None))
            return [_with_hints(line, graph) for line in body_lines(plain, graph)]
        case Branch() if any(_hint(n, graph).startswith("_") for n in _read(node, graph)):
            # Tested is what tensor code computed: the user's own words say it best.
            origin = node.origin
            words = origin.text[origin.column : origin.end_column].strip()
            return [f"if {words}"] if words else code
        case Branch() | LoopHead() | Return() | Raise():
            return code


def _read(node: Branch, graph: Hcfg) -> tuple[str, ...]:
    return variables_in(node.condition, graph.variables)


def _without_renamings(statement: HostCode, graph: Hcfg) -> HostCode | None:
    """Return a statement without copies between variables that the user calls the same."""
    if not isinstance(statement, Copy):
        return statement
    pairs = [
        (target, source)
        for target, source in zip(statement.targets, statement.sources, strict=True)
        if _hint(target, graph) != _with_hints(ast.unparse(source), graph)
    ]
    if not pairs:
        return None
    targets, sources = zip(*pairs, strict=True)
    return replace(statement, targets=targets, sources=sources)


def _hint(name: str, graph: Hcfg) -> str:
    return graph.variables[name].hint


def _signature(node: Node, graph: Hcfg) -> list[str]:
    match node:
        case Entry():
            return [
                f"{name}: {spec_text(graph.variables[name].spec)}"
                for name in entry_variables(graph, node)
            ]
        case SubDnn():
            specs = {name: spec_text(graph.variables[name].spec) for name in graph.variables}
            return [
                *(f"in   {name}: {specs[name]}" for name in node.inputs),
                *(f"out  {name}: {specs[name]}" for name in node.outputs),
            ]
        case HostBlock() | Branch() | LoopHead() | Return() | Raise():
            return []


def _shortened(lines: list[str]) -> list[str]:
    if len(lines) > _MOST_LINES:
        left_out = len(lines) - _MOST_LINES + 1
        lines = [*lines[: _MOST_LINES - 2], f"... {left_out} more lines", lines[-1]]
    return [
        line if len(line) <= _MOST_CHARACTERS else f"{line[: _MOST_CHARACTERS - 3]}..."
        for line in lines
    ]
