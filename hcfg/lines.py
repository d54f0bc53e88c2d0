"""Straight lines of a finished graph, cut anew: fewer sub-DNNs where that is sound.

A straight line is a run of sub-DNNs and host blocks that always run one after the other. It
may have more sub-DNNs than it needs where a branch was folded, or where a pass has put the
code behind a join into an arm.
"""

import ast
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeAlias

import torch

from hcfg.graph import DnnStatement, Hcfg, HostBlock, SubDnn
from hcfg.recording import Recording
from hcfg.recordings import Recordings
from hcfg.schedule import Group, HostGroup, TensorGroup, schedule
from hcfg.sizes import symbols_of
from hcfg.statements import all_writes, clobbers, exposed_reads
from rewriter.diagnostics import CompileError, DyclBug
from rewriter.program import Copy, TensorStatement

Work: TypeAlias = SubDnn | HostBlock
"""A node of a straight line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Nodes that always run one after the other, whatever edges they have."""

    nodes: tuple[Work, ...]
    after: frozenset[str]
    """The variables that are read after the line."""

    @property
    def subdnns(self) -> tuple[SubDnn, ...]:
        """Return the sub-DNNs of the line."""
        return tuple(node for node in self.nodes if isinstance(node, SubDnn))


def merged(
    line: Line, graph: Hcfg, recordings: Recordings, free: Collection[str] = ()
) -> tuple[Work, ...] | None:
    """Return the nodes of a line with fewer sub-DNNs, None where that cannot be.

    Their edges are not set. What says no is a statement of the host that needs one sub-DNN and
    is needed by the next, or tensor code that would be harder to compile than its parts. ``free``
    are symbols of sizes of which no test tells more.
    """
    parts = line.subdnns
    if len(parts) < 2:
        return None
    statements = [statement for node in line.nodes for statement in node.statements]
    groups = schedule(statements, graph.variables, graph.knowns)
    if sum(isinstance(group, TensorGroup) for group in groups) >= len(parts):
        return None
    nodes = _nodes(groups, line.after, graph)
    whole = [node for node in nodes if isinstance(node, SubDnn)]
    is_sound = _sizes_are_known(parts, whole, graph, free) and all(
        _is_as_easy(node, parts, line.after, graph, recordings) for node in whole
    )
    return nodes if is_sound else None


def _nodes(groups: Sequence[Group], after: frozenset[str], graph: Hcfg) -> tuple[Work, ...]:
    """Return groups as nodes; nothing that nobody reads is an output."""
    needed = set(after)
    nodes: list[Work] = []
    for group in reversed(groups):
        written = all_writes(group.statements)
        reads = exposed_reads(group.statements, graph.variables)
        match group:
            case TensorGroup():
                outputs = tuple(name for name in written if name in needed)
                if not outputs:
                    continue
                statements = _with_own_constants(group.statements, graph)
                nodes.append(SubDnn(statements=statements, inputs=reads, outputs=outputs, then=""))
            case HostGroup():
                nodes.append(HostBlock(statements=group.statements, then=""))
        needed.difference_update(written)
        needed.update(reads)
    return tuple(reversed(nodes))


def _with_own_constants(
    statements: Sequence[DnnStatement], graph: Hcfg
) -> tuple[DnnStatement, ...]:
    """Return statements in which nothing is written into a tensor that is known.

    The host gives a sub-DNN a copy of it.
    """
    written = {name for statement in statements for name in clobbers(statement)}
    return tuple(
        own for statement in statements for own in _own_constants(statement, written, graph)
    )


def _own_constants(
    statement: DnnStatement, written: set[str], graph: Hcfg
) -> tuple[DnnStatement, ...]:
    if not isinstance(statement, Copy) or written.isdisjoint(statement.targets):
        return (statement,)
    kept: list[tuple[str, ast.expr]] = []
    own: list[DnnStatement] = []
    for target, source in zip(statement.targets, statement.sources, strict=True):
        known = graph.knowns.get(source.id) if isinstance(source, ast.Name) else None
        if target in written and known is not None and isinstance(known.value, torch.Tensor):
            copied = ast.Call(ast.Attribute(source, "clone", ast.Load()), [], [])
            own.append(TensorStatement(pattern=target, expression=copied, origin=statement.origin))
        else:
            kept.append((target, source))
    if not own or not kept:
        return tuple(own) or (statement,)
    targets, sources = zip(*kept, strict=True)
    return (replace(statement, targets=targets, sources=sources), *own)


def _sizes_are_known(
    parts: Sequence[SubDnn], whole: Sequence[SubDnn], graph: Hcfg, free: Collection[str]
) -> bool:
    """Return whether no sub-DNN computes with a size that it finds out itself, but free ones.

    At a border the host knows it, with its bounds; a trace of one sub-DNN does not.
    """
    outputs = {name for part in parts for name in part.outputs}
    for node in whole:
        given = symbols_of(graph.variables[name].spec for name in node.inputs)
        crossing = (outputs & {n for part in parts for n in part.inputs}) - {*node.inputs}
        inner = symbols_of(
            graph.variables[n].spec for n in crossing & {*all_writes(node.statements)}
        )
        if not set(inner) <= {*given, *free}:
            return False
    return True


def _is_as_easy(
    node: SubDnn,
    parts: Sequence[SubDnn],
    after: frozenset[str],
    graph: Hcfg,
    recordings: Recordings,
) -> bool:
    """Return whether a sub-DNN can be compiled faithfully, for all sizes that its parts can."""
    recording = _recorded(node, graph, recordings)
    if recording is None or recording.diagnostics:
        return False
    known = (_recorded(part, graph, recordings) for part in parts)
    floor = max((part.floor for part in known if part is not None), default=0)
    lost = (recording.overwritten & after) - set(node.outputs)
    return recording.floor <= floor and not lost


def _recorded(node: SubDnn, graph: Hcfg, recordings: Recordings) -> Recording | None:
    with suppress(CompileError, DyclBug):
        return recordings.of("subdnn", node, graph)
    return None
