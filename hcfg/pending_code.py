"""Tensor code that has been put off: what may run before it, and how it runs at last."""

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TypeAlias

from hcfg.copies import split_copy
from hcfg.graph import Hcfg, HostBlock, HostCode, SubDnn
from hcfg.lines import Line, Work, merged
from hcfg.path_facts import Facts
from hcfg.recordings import Recordings
from hcfg.statements import (
    all_writes,
    exposed_reads,
    has_effect,
    may_raise,
    reads,
    reads_tensor,
    works_in_place,
    writes,
)
from rewriter.printing.renaming import renamed_statement
from rewriter.program import CallStatement, Copy, Statement, TensorSpec, Variable

Pending: TypeAlias = tuple[Work, ...]
"""Sub-DNNs, and copies of their results, that have not run yet."""


class MustRun(Exception):
    """Tensor code that may raise was put off to where nobody reads its results."""

    def __init__(self, outputs: tuple[str, ...]) -> None:
        super().__init__(outputs)
        self.outputs = outputs


@dataclass(slots=True, kw_only=True)
class PendingCode:
    """What can be done with tensor code that has been put off."""

    graph: Hcfg
    recordings: Recordings
    variables: dict[str, Variable]
    """Those of the graph, and new ones."""
    saved: int = 0
    """Calls of sub-DNNs that became one with another."""
    _latest: Hcfg = field(init=False)
    _cuts: dict[object, tuple[Work, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Know the variables as they are."""
        self._latest = self.graph

    def reading_once(self, node: SubDnn, facts: Facts) -> SubDnn:
        """Return a sub-DNN that takes what is in several variables from one of them."""
        written = {*all_writes(node.statements)}
        holders = {n: facts.holder(n) for n in node.inputs if n not in written}
        names = {name: holder for name, holder in holders.items() if holder != name}
        if not names or written & {*names.values()} or any(map(works_in_place, node.statements)):
            return node
        statements = _with_names(node.statements, names, self.variables)
        inputs = exposed_reads(statements, self.variables)
        return replace(node, statements=statements, inputs=inputs)  # type: ignore[arg-type]

    def split(
        self, statement: HostCode, pending: Pending, facts: Facts
    ) -> tuple[list[HostCode], list[Work]] | None:
        """Return what of a statement runs now and what is put off; None where nothing may wait."""
        if not pending:
            return [statement], []
        if isinstance(statement, Copy):
            tensors, others = split_copy(statement, self.variables, self.graph.knowns)
            if tensors and not any(self._waits(part, pending, facts) for part in others):
                return [*others], [HostBlock(statements=tensors, then="")]
        return None if self._waits(statement, pending, facts) else ([statement], [])

    def _waits(self, statement: HostCode, pending: Pending, facts: Facts) -> bool:
        """Return whether a statement of the host must run after what has been put off."""
        before = statements_of(pending)
        if {*all_writes(before)} & {*reads(statement, self.variables), *writes(statement)}:
            return True
        is_ordered = has_effect(statement) and not facts.cannot_raise(statement)
        if is_ordered and any(map(may_raise, before)):
            return True
        looks = isinstance(statement, CallStatement) or reads_tensor(statement, self.variables)
        return looks and any(map(works_in_place, before))

    def changes_what_is_read(self, pending: Pending, names: Collection[str]) -> bool:
        """Return whether tensors are among variables, and what has been put off writes in place."""
        specs = (self.variables[name].spec for name in names)
        looks = any(isinstance(spec, TensorSpec) for spec in specs)
        return looks and any(map(works_in_place, statements_of(pending)))

    def kept_apart(
        self, statements: Sequence[HostCode], pending: Pending
    ) -> tuple[list[HostCode], Pending]:
        """Return copies of what is overwritten though what has been put off reads it yet.

        What has been put off then reads the copies.
        """
        before = statements_of(pending)
        lost = {*all_writes(statements)} & {*exposed_reads(before, self.variables)}
        if not lost:
            return [], pending
        names = {name: self._another(name) for name in sorted(lost)}
        sources = tuple(ast.Name(name, ast.Load()) for name in names)
        origin = statements[0].origin
        copies = Copy(targets=tuple(names.values()), sources=sources, origin=origin)
        return [copies], tuple(self._renamed(node, names) for node in pending)

    def _renamed(self, node: Work, names: Mapping[str, str]) -> Work:
        statements = _with_names(node.statements, names, self.variables)
        if isinstance(node, HostBlock):
            return replace(node, statements=statements)  # type: ignore[arg-type]
        inputs = exposed_reads(statements, self.variables)
        return replace(node, statements=statements, inputs=inputs)  # type: ignore[arg-type]

    def _another(self, name: str) -> str:
        """Return a new variable like another one."""
        number = next(n for n in count(1) if f"{name}_{n}" not in self.variables)
        made = f"{name}_{number}"
        self.variables[made] = replace(self.variables[name], name=made)
        return made

    def cut(self, pending: Pending, after: frozenset[str]) -> tuple[Work, ...]:
        """Return nodes that run what has been put off, as few as can be.

        ``after`` are the variables that are read from then on.
        """
        key = pending, after
        if key not in self._cuts:
            kept = self._needed(pending, after)
            nodes = merged(Line(nodes=kept, after=after), self._graph(), self.recordings)
            if nodes is not None:
                self.saved += _calls(kept) - _calls(nodes)
            self._cuts[key] = kept if nodes is None else nodes
        return self._cuts[key]

    def cut_before_error(self, pending: Pending, after: frozenset[str]) -> tuple[Work, ...]:
        """Return nodes that run what may raise, whether anybody reads its results or not."""
        return self._needed(pending, after, decides_error=True)

    def _graph(self) -> Hcfg:
        """Return the graph with the variables that there are by now."""
        if len(self._latest.variables) != len(self.variables):
            self._latest = replace(self.graph, variables=dict(self.variables))
        return self._latest

    def _needed(
        self, pending: Pending, after: frozenset[str], *, decides_error: bool = False
    ) -> Pending:
        """Return what must run of what has been put off."""
        needed = set(after)
        kept: list[Work] = []
        for node in reversed(pending):
            written = all_writes(node.statements)
            raises = isinstance(node, SubDnn) and any(map(may_raise, node.statements))
            if needed.isdisjoint(written) and not (raises and decides_error):
                if isinstance(node, SubDnn) and raises:
                    raise MustRun(node.outputs)
                continue
            kept.insert(0, node)
            needed.difference_update(written)
            needed.update(exposed_reads(node.statements, self.variables))
        return tuple(kept)


def statements_of(pending: Pending) -> list[Statement]:
    """Return all statements that have been put off, in order."""
    return [statement for node in pending for statement in node.statements]


def _with_names(
    statements: Sequence[Statement], names: Mapping[str, str], variables: Mapping[str, Variable]
) -> tuple[Statement, ...]:
    every = {**{name: name for name in variables}, **names}
    made = (renamed_statement(statement, every) for statement in statements)
    return tuple(statement for statement in made if statement is not None)


def _calls(nodes: Sequence[Work]) -> int:
    return sum(isinstance(node, SubDnn) for node in nodes)
