"""Cut a straight line of mixed statements into as few sub-DNNs as possible.

Statements may swap places when neither touches what the other one needs. With a *level* for
each statement, the number of sub-DNNs that run before it is done,

* tensor code stands one level above the host code it depends on,
* host code stands on the level of the tensor code it depends on,

statements of equal level and kind can run together: host 0, sub-DNN 1, host 1, sub-DNN 2,
host 2, ... The highest level is the length of the longest alternating chain of dependences,
so no schedule has fewer sub-DNNs.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from hcfg.copies import move_copies_out, split_copy
from hcfg.graph import DnnStatement, HostCode
from hcfg.statements import clobbers, has_effect, reads, reads_tensor, works_in_place, writes
from rewriter.program import (
    Copy,
    HostSpec,
    HostStatement,
    KnownReference,
    Statement,
    TensorFromHost,
    TensorStatement,
    Variable,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorGroup:
    """Statements of one sub-DNN to be."""

    statements: tuple[DnnStatement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostGroup:
    """Statements of one host block to be."""

    statements: tuple[HostCode, ...]


Group: TypeAlias = TensorGroup | HostGroup


def schedule(
    statements: Iterable[Statement],
    variables: Mapping[str, Variable],
    knowns: Mapping[str, KnownReference],
) -> tuple[Group, ...]:
    """Return the statements of a straight line, grouped; their meaning is unchanged."""
    levels = _Levels(variables=variables)
    tensor_code: dict[int, list[DnnStatement]] = defaultdict(list)
    host_code: dict[int, list[HostCode]] = defaultdict(list)
    for statement in statements:
        match statement:
            case TensorStatement():
                tensor_code[levels.place_tensor(statement)].append(statement)
            case HostStatement() | TensorFromHost():
                host_code[levels.place_host(statement)].append(statement)
            case Copy():
                tensors, others = split_copy(statement, variables, knowns)
                # Copies of tensors count as tensor code here: counted as host code, one
                # between two tensor statements would cut their sub-DNN in two.
                for part in tensors:
                    tensor_code[levels.place_tensor(part)].append(part)
                for part in others:
                    host_code[levels.place_host(part)].append(part)
    return _groups(tensor_code, host_code, variables)


def _groups(
    tensor_code: Mapping[int, Sequence[DnnStatement]],
    host_code: Mapping[int, Sequence[HostCode]],
    variables: Mapping[str, Variable],
) -> tuple[Group, ...]:
    groups: list[Group] = []
    host = list(host_code.get(0, ()))
    for level in range(1, max((*tensor_code, *host_code), default=0) + 1):
        lifted, kept, sunk = move_copies_out(tensor_code.get(level, ()), variables)
        host += lifted
        if kept:
            if host:
                groups.append(HostGroup(statements=tuple(host)))
            groups.append(TensorGroup(statements=tuple(kept)))
            host = []
        host += [*sunk, *host_code.get(level, ())]
    if host:
        groups.append(HostGroup(statements=tuple(host)))
    return tuple(groups)


@dataclass(slots=True, kw_only=True)
class _Floor:
    """The least level that statements depending on something may have."""

    tensor: int = 0
    host: int = 0

    def raise_to(self, tensor: int, host: int) -> None:
        self.tensor = max(self.tensor, tensor)
        self.host = max(self.host, host)


@dataclass(slots=True, kw_only=True)
class _Levels:
    """Gives each statement of a straight line, in order, the lowest level it can have."""

    variables: Mapping[str, Variable]
    written: dict[str, _Floor] = field(default_factory=lambda: defaultdict(_Floor))
    """Per variable: where its readers may stand."""
    touched: dict[str, _Floor] = field(default_factory=lambda: defaultdict(_Floor))
    """Per variable: where its next writers may stand."""
    tensors_read: int = 0
    """Where in-place tensor code may stand: after all host code that reads a tensor, which
    might be a view of what is overwritten."""
    effects: int = 0
    """Where host code that looks at run-time containers may stand: after all effects."""
    ordered: int = 0
    """Where effects may stand: after all effects and all looks at containers."""

    def place_tensor(self, statement: DnnStatement) -> int:
        level = max(1, *(floor.tensor for floor in self._floors(statement)))
        if works_in_place(statement):
            level = max(level, self.tensors_read)
        self._note(statement, tensor=level, host=level)
        return level

    def place_host(self, statement: HostCode) -> int:
        level = max(floor.host for floor in self._floors(statement))
        effect = has_effect(statement)
        if effect:
            level = max(level, self.ordered)
        looks = effect or self._looks_at_container(statement)
        if looks:
            level = max(level, self.effects)
            self.ordered = max(self.ordered, level)
        if effect:
            self.effects = max(self.effects, level)
        if reads_tensor(statement, self.variables):
            self.tensors_read = max(self.tensors_read, level + 1)
        self._note(statement, tensor=level + 1, host=level)
        return level

    def _floors(self, statement: Statement) -> list[_Floor]:
        read = (self.written[name] for name in reads(statement, self.variables))
        changed = (self.touched[name] for name in (*writes(statement), *clobbers(statement)))
        return [_Floor(), *read, *changed]

    def _note(self, statement: Statement, tensor: int, host: int) -> None:
        for name in (*writes(statement), *clobbers(statement)):
            self.written[name].raise_to(tensor, host)
            self.touched[name].raise_to(tensor, host)
        for name in reads(statement, self.variables):
            self.touched[name].raise_to(tensor, host)

    def _looks_at_container(self, statement: HostCode) -> bool:
        names = (*reads(statement, self.variables), *writes(statement))
        return any(isinstance(self.variables[name].spec, HostSpec) for name in names)
