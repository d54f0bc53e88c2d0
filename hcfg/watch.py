"""Looks at a sub-DNN's tape after every statement: was what it did told, and can it be kept?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch

from hcfg.fakes import FakeInputs
from hcfg.graph import DnnStatement, NodeId, SubDnn
from hcfg.statements import all_writes, exposed_reads, writes
from hcfg.tape import Storage, Tape, storage_of
from rewriter.diagnostics import Diagnostic, DyclBug
from rewriter.program import TensorStatement, Variable


@dataclass(slots=True, kw_only=True)
class Watch:
    """Compares the storages that each statement writes with what the statement declares."""

    tape: Tape
    fakes: FakeInputs
    node: SubDnn
    variables: Mapping[str, Variable]
    finished: int = 0
    """How many statements have run."""
    diagnostics: list[Diagnostic] = field(default_factory=list)
    _values: dict[str, torch.Tensor] = field(default_factory=dict)
    _counts: dict[Storage, int] = field(default_factory=dict)
    _bound: dict[str, int] = field(default_factory=dict)
    _random: int = 0
    _specialised: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Start with the inputs."""
        self._values.update(self.fakes.tensors)

    def after(self, statement: DnnStatement, values: Mapping[str, object]) -> None:
        """Take note of one more statement that ran."""
        counts = self.tape.write_counts
        written = {s for s, count in counts.items() if count != self._counts.get(s, 0)}
        if self.tape.random > self._random:
            self._refuse_random(statement)
        if written & self.tape.outside:
            self._refuse_lasting_change(statement)
        for symbol in self.fakes.specialised():
            if symbol not in self._specialised:
                self._specialised.add(symbol)
                self._refuse_specialised(statement, symbol)
        if isinstance(statement, TensorStatement) and self._splits_views(statement, written):
            self._refuse_split_views(statement)
        elif isinstance(statement, TensorStatement) and self._changes_others(statement, written):
            self._refuse_missing_copy(statement)
        for name in writes(statement):
            value = values[name]
            if isinstance(value, torch.Tensor):
                self._values[name] = self.tape.fake(value)
                self._bound[name] = counts[storage_of(self._values[name])]
        self._counts = dict(counts)
        self._random = self.tape.random
        self.finished += 1

    def _splits_views(self, statement: TensorStatement, written: set[Storage]) -> bool:
        """Return whether a name that should change does not share what was written."""
        if not written or not statement.updates:
            return False
        if {storage_of(self._values[old]) for _, old in statement.updates} <= written:
            return False
        existing = {storage_of(value) for value in self._values.values()}
        return not existing.isdisjoint(written - self.tape.outside)

    def _changes_others(self, statement: TensorStatement, written: set[Storage]) -> bool:
        """Return whether something else that is read later shares what was written.

        The program says that it does not: somewhere PyTorch made a copy, because of a layout or
        of a lazy conjugate, which tensors at the border of a sub-DNN have not.
        """
        if not written:
            return False
        told = {*writes(statement), *(old for _, old in statement.updates)}
        shared = {n for n, value in self._values.items() if storage_of(value) in written} - told
        if not shared:
            return False
        rest = self.node.statements[self.finished + 1 :]
        later = set(self.node.outputs).difference(all_writes(rest))
        return not shared.isdisjoint(later.union(exposed_reads(rest, self.variables)))

    def require_current(
        self, node_id: NodeId, outputs: Sequence[str], values: Mapping[str, object]
    ) -> None:
        """Raise ``DyclBug`` where an output was overwritten after it got its name."""
        for name in outputs:
            value = values[name]
            if isinstance(value, torch.Tensor):
                now = self.tape.write_counts[storage_of(self.tape.fake(value))]
                if now != self._bound[name]:
                    raise DyclBug(f"{node_id}: output {name!r} is overwritten, not renamed")

    def _refuse_specialised(self, statement: DnnStatement, symbol: str) -> None:
        number = self.fakes.symbols[symbol]
        self.diagnostics.append(
            Diagnostic(
                code="DYCL204",
                message=f"this can be compiled only for {symbol} = {number}, and {symbol} is known "
                "only at run time",
                origin=statement.origin,
                help="make that size fixed, or an operation that works for every size",
            )
        )

    def _refuse_random(self, statement: DnnStatement) -> None:
        self.diagnostics.append(
            Diagnostic(
                code="DYCL201",
                message="this draws random numbers, so no compiled program can equal it",
                origin=statement.origin,
                help="call model.eval() first if this is dropout; else pass the numbers in",
            )
        )

    def _refuse_lasting_change(self, statement: DnnStatement) -> None:
        self.diagnostics.append(
            Diagnostic(
                code="DYCL202",
                message="this changes a tensor of the model, which would last until the next call",
                origin=statement.origin,
                help="call model.eval() first if this is a normalisation layer; "
                "else return the new value and pass it in at the next call",
            )
        )

    def _refuse_missing_copy(self, statement: DnnStatement) -> None:
        self.diagnostics.append(
            Diagnostic(
                code="DYCL203",
                message="this writes into a tensor that may be a copy or not, by how another one "
                "from before a decision made at run time lies in memory",
                origin=statement.origin,
                help="make the copy with clone(), or use an out-of-place operation",
            )
        )

    def _refuse_split_views(self, statement: DnnStatement) -> None:
        self.diagnostics.append(
            Diagnostic(
                code="DYCL203",
                message="this writes into a tensor through a view that was taken before a "
                "decision made at run time",
                origin=statement.origin,
                help="take the view again just before writing, or use an out-of-place operation",
            )
        )
