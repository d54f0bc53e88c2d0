"""How large the integers of a program can be, whatever path a call takes.

A variable holds at most what its assignments can give. One that grows in a loop would have no
bound by that; but where all that is ever done to it is adding little steps, a call that made it
overflow would have to run for years.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from dycl.one_onnx.number import HIGHEST, Number, kind_of
from dycl.one_onnx.numbers import Numbers
from dycl.one_onnx.refusing import Inexpressible
from hcfg.graph import Hcfg, HostBlock, parameter_variables
from hcfg.names import names_in
from hcfg.statements import writes
from rewriter.program import CallStatement, Copy, HostStatement, ScalarSpec, TensorFromHost

_ROUNDS = 20
_STEP = 2**10
_START = 2**61
_REACH = 2**62
"""A counter that moves by steps of at most ``_STEP`` needs 2**52 of them to get this far."""


Assigned: TypeAlias = "ast.expr | Number"
"""What a variable is assigned; only its bounds where the graph does not say more."""


def integer_bounds(graph: Hcfg, unknown: Number) -> Mapping[str, Number]:
    """Return the bounds of all integer variables of a graph.

    ``unknown`` is what statements give that ONNX has no word for.
    """
    found = _Search(graph=graph, assigned=_assignments(graph, unknown), unknown=unknown)
    found.run()
    return found.bounds


def _assignments(graph: Hcfg, unknown: Number) -> dict[str, list[Assigned]]:
    """Return what integer variables are assigned."""
    assigned: dict[str, list[Assigned]] = {}
    for name, value in _all_assignments(graph, unknown):
        spec = graph.variables[name].spec
        if isinstance(spec, ScalarSpec) and kind_of(spec.type) is int:
            assigned.setdefault(name, []).append(value)
    return assigned


def _all_assignments(graph: Hcfg, unknown: Number) -> Iterator[tuple[str, Assigned]]:
    for name in parameter_variables(graph):
        yield name, Number(int)
    for node in graph.nodes.values():
        if not isinstance(node, HostBlock):
            continue
        for statement in node.statements:
            match statement:
                case HostStatement():
                    if statement.target is not None:
                        yield statement.target, statement.expression
                case Copy():
                    yield from zip(statement.targets, statement.sources, strict=True)
                case CallStatement():
                    parameters = graph.functions[statement.function].parameters
                    yield from zip(parameters, statement.arguments, strict=True)
                    yield from ((name, unknown) for name in writes(statement))
                case TensorFromHost():
                    pass


@dataclass(slots=True, kw_only=True)
class _Search:
    """Looks for the least bounds that no assignment leaves."""

    graph: Hcfg
    assigned: Mapping[str, list[Assigned]]
    unknown: Number
    bounds: dict[str, Number] = field(default_factory=dict)
    counters: set[str] = field(default_factory=set)
    """Variables that only little steps are added to."""
    unbounded: set[str] = field(default_factory=set)

    def run(self) -> None:
        """Find the bounds."""
        while True:
            moving = self._settle()
            # what the counters start with, or their steps, may have grown meanwhile
            wrong = self.counters - self._counters_of(self.counters)
            if not moving and not wrong:
                return
            counters = self._counters_of(moving)
            self.unbounded |= wrong if counters or not moving else wrong | moving
            self.counters = (self.counters | counters) - wrong
            self.bounds |= {name: self._fixed(name) for name in self.counters | self.unbounded}

    def _settle(self) -> set[str]:
        """Let bounds grow as assignments demand; return the variables that never stop."""
        moving: set[str] = set()
        for _ in range(_ROUNDS):
            moving = set()
            for name in self.assigned:
                if name in self.counters or name in self.unbounded:
                    continue
                grown = self._union(name)
                if grown is not None and grown != self.bounds.get(name):
                    self.bounds[name] = grown
                    moving.add(name)
            if not moving:
                break
        return moving

    def _union(self, name: str) -> Number | None:
        """Return what all assignments together may give; None before any gives something."""
        found: Number | None = None
        for value in self.assigned[name]:
            number = self._value(value)
            if number is not None:
                found = number if found is None else found.united(number)
        return None if found is None else self._declared(name, found)

    def _value(self, value: Assigned) -> Number | None:
        if isinstance(value, Number):
            return value
        if any(n in self.assigned and n not in self.bounds for n in names_in(value)):
            return None
        try:
            number = Numbers(self.graph.variables, self.graph.knowns, self.bounds).of(value)
        except Inexpressible:
            return Number(int, 0, HIGHEST) if self._is_length(value) else self.unknown
        # beyond, it is refused where it is computed, or where it is read
        return number.within(self.unknown.low, self.unknown.high)

    def _is_length(self, value: ast.expr) -> bool:
        """Return whether a value is the length of a container of the host."""
        match value:
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
                return name in self.graph.variables
            case _:
                return False

    def _declared(self, name: str, number: Number) -> Number:
        spec = self.graph.variables[name].spec
        assert isinstance(spec, ScalarSpec)
        return number.within(spec.minimum, spec.maximum)

    def _fixed(self, name: str) -> Number:
        if name in self.unbounded:
            return self._declared(name, self.unknown)
        return self._declared(name, Number(int, -_START - _REACH, _START + _REACH))

    def _counters_of(self, moving: set[str]) -> set[str]:
        """Return the variables that little steps are added to, and nothing else is done to."""
        found = moving | self.counters
        while others := {name for name in found if not self._is_counter(name, found)}:
            found = found - others
        return found & moving

    def _is_counter(self, name: str, counters: set[str]) -> bool:
        """Return whether all that is done to a variable is starting it and adding little steps."""
        return all(
            not isinstance(value, Number) and self._is_step(value, counters)
            for value in self.assigned[name]
        )

    def _is_step(self, value: ast.expr, counters: set[str]) -> bool:
        match value:
            case ast.Name(id=name) if name in counters:
                return True
            case ast.BinOp(left=ast.Name(id=name), op=ast.Add() | ast.Sub(), right=step) if (
                name in counters
            ):
                return self._is_within(step, counters, _STEP)
            case _:
                return self._is_within(value, counters, _START)

    def _is_within(self, value: ast.expr, counters: set[str], most: int) -> bool:
        if counters & set(names_in(value)):
            return False
        number = self._value(value)
        return number is not None and -most <= number.low and number.high <= most
