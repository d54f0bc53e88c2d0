"""Which variables must not share a name: those alive at once with different values."""

import ast
from collections.abc import Iterable, Sequence

from rewriter.parameters import input_variables
from rewriter.printing.liveness import compute_liveness, live_after_statements
from rewriter.program import (
    CallStatement,
    Copy,
    Function,
    HostStatement,
    Statement,
    TensorFromHost,
    TensorStatement,
)
from rewriter.program_names import pattern_names


class Interference:
    """Groups of variables that get one name, and the groups that theirs must differ from.

    In the beginning every variable is its own group, and interferes with what is alive
    where it is assigned (Chaitin): a copy alone does not make source and target differ.
    """

    def __init__(self, function: Function) -> None:
        """Put every variable in a group of its own."""
        self._group = {name: name for name in function.variables}
        self._members = {name: [name] for name in function.variables}
        self._neighbours: dict[str, set[str]] = {name: set() for name in function.variables}
        liveness = compute_liveness(function)
        inputs = [v for p in function.parameters for v in input_variables(p.spec)]
        self._assign(inputs, liveness.live_in[function.entry])
        for block in liveness.live_in:
            for statement, live in live_after_statements(function, block, liveness):
                self._add(statement, live)

    def group(self, variable: str) -> str:
        """Return the representative of a variable's group."""
        return self._group[variable]

    def members(self, group: str) -> Sequence[str]:
        """Return the variables of a group."""
        return self._members[group]

    def neighbours(self, group: str) -> frozenset[str]:
        """Return the groups whose names must differ from this group's."""
        return frozenset(self._neighbours[group])

    def interfere(self, left: str, right: str) -> bool:
        """Return whether two groups must have different names."""
        return right in self._neighbours[left]

    def merge(self, kept: str, absorbed: str) -> None:
        """Make one group of two that do not interfere."""
        for member in self._members[absorbed]:
            self._group[member] = kept
        self._members[kept] += self._members.pop(absorbed)
        for neighbour in self._neighbours.pop(absorbed):
            self._neighbours[neighbour].remove(absorbed)
            self._neighbours[neighbour].add(kept)
            self._neighbours[kept].add(neighbour)

    def _add(self, statement: Statement, live: frozenset[str]) -> None:
        match statement:
            case TensorStatement():
                # The updates are copies that run after the results were assigned.
                new, old = zip(*statement.updates, strict=True) if statement.updates else ((), ())
                self._assign(new, live, old)
                live = live.difference(new).union(old)
                self._assign(pattern_names(statement.pattern), live)
            case HostStatement():
                self._assign(() if statement.target is None else (statement.target,), live)
            case CallStatement():
                self._assign(pattern_names(statement.pattern), live)
            case TensorFromHost():
                self._assign((statement.target,), live)
            case Copy():
                self._assign(statement.targets, live, tuple(map(copied_name, statement.sources)))

    def _assign(
        self,
        targets: Sequence[str],
        live: Iterable[str],
        sources: Sequence[str | None] = (),
    ) -> None:
        """Note that targets are assigned at once while other variables are alive."""
        for index, target in enumerate(targets):
            others = set(live)
            if sources:
                others.discard(sources[index] or target)
            others.update(targets)
            others.discard(target)
            self._neighbours[target] |= others
            for other in others:
                self._neighbours[other].add(target)


def copied_name(source: ast.expr) -> str | None:
    """Return the name that a copy reads, None for a constant."""
    return source.id if isinstance(source, ast.Name) else None
