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
            symbol: self._places.setdefault(
                sizes.groups[position], sympy.Symbol(f"place{len(self._places)}", integer=True)
            )
            for symbol, position in self._symbols.items()
        }
        candidates = [*said(state.size_facts, first), *plain_relations(list(first))]
        candidates += [
            order(kind, symbol, size)
            for symbol, size in first.items()
            for kind in _kept_orders(sizes.step_of(self._symbols[symbol]))
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

    def _values(
        self, run: Run, sizes: LoopSizes, leaves: Sequence[Value]
    ) -> dict[sympy.Symbol, sympy.Basic]:
        found = {}
        for symbol, (slot, dimension) in self._symbols.items():
            size = expression_of(sizes_of(run, leaves[slot])[dimension])
            found[symbol] = sympy.expand(size - sizes.offsets[slot, dimension])
        return found


def _kept_orders(step: int) -> tuple[Order, ...]:
    """Return how a size may compare with what it began with, in every iteration of a loop."""
    both: tuple[Order, Order] = (sympy.Ge, sympy.Le)
    return both if step == 0 else both[:1] if step > 0 else both[1:]
