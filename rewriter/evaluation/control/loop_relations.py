"""Relations between sizes that hold at the head of a rolled loop, in every iteration.

What holds at the entry is assumed of the head's symbols, and seen at every back edge: what does
not hold there is given up, and the body evaluated again, until all that is assumed is kept.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import sympy

from rewriter.evaluation.control.loop_sizes import LoopSizes, Position, sizes_of
from rewriter.evaluation.run import Run
from rewriter.joined_relations import holds, plain_relations, said
from rewriter.size_expressions import Size, expression_of
from rewriter.size_orders import Order, order, replaced
from rewriter.state import State
from rewriter.values import Value


@dataclass(frozen=True, slots=True)
class KnownRefuted:
    """Relations that the iterations of a loop did not keep, whatever it began with."""

    between: frozenset[sympy.Basic] = frozenset()
    """Of sizes that change, in terms of places with the numbers of groups."""
    from_entry: frozenset[tuple[Order, int]] = frozenset()
    """How sizes do not compare with what they began with."""


@dataclass(slots=True)
class LoopRelations:
    """What is assumed of the symbols at a loop head."""

    _refuted: set[sympy.Basic] = field(default_factory=set)
    """Relations that an iteration does not keep, in terms of places."""
    _places: dict[Hashable, sympy.Symbol] = field(default_factory=dict)
    """A name for each group of sizes: their symbols are others in each attempt."""
    _symbols: dict[sympy.Symbol, Position] = field(default_factory=dict)
    _assumed: dict[sympy.Basic, sympy.Basic] = field(default_factory=dict)
    """Relations assumed in this attempt, and the same in terms of places."""
    _first: dict[sympy.Symbol, sympy.Basic] = field(default_factory=dict)
    """What the sizes at places began with."""
    _from_entry: set[tuple[Order, sympy.Symbol]] = field(default_factory=set)
    """How sizes at places are known not to compare with that."""

    def assume(
        self,
        run: Run,
        sizes: LoopSizes,
        made: dict[Position, Size],
        entry: Sequence[Value],
        state: State,
    ) -> None:
        """Give the state at the head the facts that hold at the entry and are not refuted."""
        self._symbols = {}
        for position, size in made.items():
            symbol = sympy.expand(expression_of(size) - sizes.offsets[position])
            self._symbols.setdefault(symbol, position)
        first = self._values(run, sizes, entry)
        places = {
            symbol: self._places.setdefault(sizes.groups[position], _place(len(self._places)))
            for symbol, position in self._symbols.items()
        }
        self._first = {places[symbol]: size for symbol, size in first.items()}
        candidates = [*said(state.size_facts, first), *plain_relations(list(first))]
        candidates += [
            order(kind, symbol, size)
            for symbol, size in first.items()
            for kind in _kept_orders(sizes.step_of(self._symbols[symbol]))
            if (kind, places[symbol]) not in self._from_entry
        ]
        self._assumed = {}
        for relation in dict.fromkeys(candidates):
            general = replaced(relation, places)
            if general not in self._refuted and holds(run.sizes, relation, state.size_facts, first):
                self._assumed[relation] = general
        state.size_facts |= set(self._assumed)

    def refuted(self, run: Run, sizes: LoopSizes, back: Sequence[Value], state: State) -> bool:
        """Return whether an iteration ends where something assumed no longer holds."""
        values = self._values(run, sizes, back)
        broken = {
            general
            for relation, general in self._assumed.items()
            if not holds(run.sizes, relation, state.size_facts, values)
        }
        self._refuted |= broken
        return bool(broken)

    def known_refuted(self, sizes: LoopSizes) -> KnownRefuted:
        """Return what was refuted, for a head that begins with these sizes as groups."""
        numbers = sizes.numbers()
        numbered = {
            place: _place(numbers[group])
            for group, place in self._places.items()
            if group in numbers
        }
        between = {
            replaced(relation, numbered)
            for relation in self._refuted
            if relation.free_symbols <= numbered.keys()
        }
        from_entry = {
            (kind, numbers[group])
            for group, place in self._places.items()
            if group in numbers and place in self._first
            for kind in _ORDERS
            if (kind, place) in self._from_entry
            or order(kind, place, self._first[place]) in self._refuted
        }
        return KnownRefuted(frozenset(between), frozenset(from_entry))

    def take(self, known: KnownRefuted, sizes: LoopSizes) -> None:
        """Assume nothing that was refuted before, of sizes that were generalised so."""
        numbers = sizes.known
        if len(set(numbers.values())) < len(numbers):
            return  # what changed alike begins otherwise here
        self._places = {group: _place(number) for group, number in numbers.items()}
        self._refuted = set(known.between)
        self._from_entry = {(kind, _place(number)) for kind, number in known.from_entry}

    def _values(
        self, run: Run, sizes: LoopSizes, leaves: Sequence[Value]
    ) -> dict[sympy.Symbol, sympy.Basic]:
        found = {}
        for symbol, (slot, dimension) in self._symbols.items():
            size = expression_of(sizes_of(run, leaves[slot])[dimension])
            found[symbol] = sympy.expand(size - sizes.offsets[slot, dimension])
        return found


def _place(number: int) -> sympy.Symbol:
    return sympy.Symbol(f"place{number}", integer=True)


_ORDERS: tuple[Order, Order] = (sympy.Ge, sympy.Le)


def _kept_orders(step: int) -> tuple[Order, ...]:
    """Return how a size may compare with what it began with, in every iteration of a loop."""
    return _ORDERS if step == 0 else _ORDERS[:1] if step > 0 else _ORDERS[1:]
