"""Levels of the statements of a straight line: how many sub-DNNs run before each is done.

Tensor code gets the lowest level it can have. Host code gets the level where it was written,
as far as what it depends on, and what depends on it, allow: a reader of the host program
finds it where the user put it.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from hcfg.graph import DnnStatement, HostCode
from hcfg.statements import (
    clobbers,
    has_effect,
    may_raise,
    reads,
    reads_tensor,
    works_in_place,
    writes,
)
from rewriter.program import HostSpec, Statement, Variable

Variables = Mapping[str, Variable]


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorCode:
    """A statement that may stand in a sub-DNN."""

    statement: DnnStatement


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A statement that stands on the host."""

    statement: HostCode


Coloured: TypeAlias = TensorCode | Host


def levels(line: Sequence[Coloured], variables: Variables) -> list[int]:
    """Return the level of each statement of a straight line."""
    earliest = _Bounds(variables=variables, sign=1)
    lowest = [earliest.place(each) for each in line]
    result = list(lowest)
    latest = _Bounds(variables=variables, sign=-1)
    written_at = _levels_where_written(line, lowest)
    for position in reversed(range(len(line))):
        match line[position]:
            case TensorCode() as each:
                latest.note(each, lowest[position])
            case Host() as each:
                highest = latest.bound(each, written_at[position])
                result[position] = max(lowest[position], highest)
                latest.note(each, result[position])
    return result


def _levels_where_written(line: Sequence[Coloured], lowest: Sequence[int]) -> list[int]:
    """Return for each statement the highest level of the tensor code before it."""
    highest, found = 0, []
    for each, level in zip(line, lowest, strict=True):
        if isinstance(each, TensorCode):
            highest = max(highest, level)
        found.append(highest)
    return found


@dataclass(slots=True, kw_only=True)
class _Bound:
    """Where tensor code and host code may stand at the least, or at the most."""

    tensor: int | None = None
    host: int | None = None


@dataclass(slots=True, kw_only=True)
class _Bounds:
    """Bounds on levels by the statements seen so far, from the front or from the back.

    With ``sign`` 1, statements come in order and bounds are lower bounds; with -1 they come
    in reverse and bounds are upper bounds. Dependences are the same both ways.
    """

    variables: Variables
    sign: int
    written: dict[str, _Bound] = field(default_factory=lambda: defaultdict(_Bound))
    """Per variable: for those who read it."""
    touched: dict[str, _Bound] = field(default_factory=lambda: defaultdict(_Bound))
    """Per variable: for those who write it."""
    stores: _Bound = field(default_factory=_Bound)
    """For host code that reads a tensor, which might be a view of what is overwritten later."""
    looks: _Bound = field(default_factory=_Bound)
    """For in-place tensor code: the other end of the same dependence."""
    effects: _Bound = field(default_factory=_Bound)
    """For host code that looks at run-time containers, and tensor code that may raise."""
    ordered: _Bound = field(default_factory=_Bound)
    """For effects: they keep their order, and looks at containers stay between them.

    So does tensor code that may raise: who catches the error sees the effects before it."""

    def place(self, each: Coloured) -> int:
        """Return the lowest level of the next statement, and take note of it."""
        level = self.bound(each, 1 if isinstance(each, TensorCode) else 0)
        self.note(each, level)
        return level

    def bound(self, each: Coloured, own: int) -> int:
        """Return the bound for a statement, ``own`` where nothing is stricter."""
        strictest = max if self.sign > 0 else min
        statement = each.statement
        bounds = [self.written[name] for name in reads(statement, self.variables)]
        bounds += [self.touched[name] for name in (*writes(statement), *clobbers(statement))]
        bounds += self._order_bounds(each)
        match each:
            case TensorCode():
                limits = [bound.tensor for bound in bounds]
            case Host():
                limits = [bound.host for bound in bounds]
        return strictest([own, *(limit for limit in limits if limit is not None)])

    def note(self, each: Coloured, level: int) -> None:
        """Take note of a statement's level: from now on it bounds others."""
        statement = each.statement
        changed = (*writes(statement), *clobbers(statement))
        for name in changed:
            self._tighten(self.written[name], each, level)
            self._tighten(self.touched[name], each, level)
        for name in reads(statement, self.variables):
            self._tighten(self.touched[name], each, level)
        match each:
            case TensorCode():
                # Only seen from the back: what reads the new content, reads it by its new name.
                if self.sign < 0 and works_in_place(statement):
                    self._tighten(self.stores, each, level)
                if may_raise(statement):
                    self._tighten(self.ordered, each, level)
            case Host():
                if reads_tensor(statement, self.variables):
                    self._tighten(self.looks, each, level)
                if self._looks_at_container(statement):
                    self._tighten(self.ordered, each, level)
                if has_effect(statement):
                    self._tighten(self.effects, each, level)

    def _order_bounds(self, each: Coloured) -> list[_Bound]:
        statement = each.statement
        match each:
            case TensorCode():
                bounds = [self.looks] if works_in_place(statement) else []
                return [*bounds, self.effects] if may_raise(statement) else bounds
            case Host():
                bounds = [self.stores] if reads_tensor(statement, self.variables) else []
                bounds += [self.effects] if self._looks_at_container(statement) else []
                bounds += [self.ordered] if has_effect(statement) else []
                return bounds

    def _tighten(self, bound: _Bound, each: Coloured, level: int) -> None:
        """Let a statement on ``level`` bound those that depend on it, or it on them.

        Host code may stand on the level of what comes before it. Tensor code stands above the
        host code before it; seen from the back, host code stands below the tensor code after.
        """
        is_tensor = isinstance(each, TensorCode)
        if self.sign > 0:
            tensor, host = (level, level) if is_tensor else (level + 1, level)
            bound.tensor = max(tensor, bound.tensor or tensor)
            bound.host = max(host, bound.host or host)
        else:
            tensor, host = (level, level - 1) if is_tensor else (level, level)
            bound.tensor = tensor if bound.tensor is None else min(tensor, bound.tensor)
            bound.host = host if bound.host is None else min(host, bound.host)

    def _looks_at_container(self, statement: Statement) -> bool:
        if has_effect(statement):
            return True
        names = (*reads(statement, self.variables), *writes(statement))
        return any(isinstance(self.variables[name].spec, HostSpec) for name in names)
