"""Facts about sizes in parts that have no symbol in common: one says nothing about another."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

import sympy


@lru_cache(maxsize=50_000)
def symbols_in(fact: sympy.Basic) -> frozenset[sympy.Basic]:
    """Return the symbols of a fact; a path has many, and asks each time that it tells one more."""
    return frozenset(fact.free_symbols)


class FactParts:
    """A set of facts, parted so that a question is put only to those which may answer it."""

    def __init__(self, facts: frozenset[sympy.Basic]) -> None:
        self._parts: dict[sympy.Basic, frozenset[sympy.Basic]] = {}
        """The facts of the part that a symbol is in."""
        telling: dict[sympy.Basic, list[sympy.Basic]] = {}
        for fact in facts:
            for symbol in symbols_in(fact):
                telling.setdefault(symbol, []).append(fact)
        for symbol in telling:
            if symbol not in self._parts:
                self._add_part(symbol, telling)

    def _add_part(
        self, symbol: sympy.Basic, telling: Mapping[sympy.Basic, list[sympy.Basic]]
    ) -> None:
        symbols, part, asked = {symbol}, set[sympy.Basic](), [symbol]
        while asked:
            found = set(telling[asked.pop()]) - part
            part |= found
            new = set[sympy.Basic]().union(*map(symbols_in, found)) - symbols
            symbols |= new
            asked += new
        self._parts |= dict.fromkeys(symbols, frozenset(part))

    def about(self, symbols: Iterable[sympy.Basic]) -> frozenset[sympy.Basic]:
        """Return the facts that have to do with symbols, directly or through others."""
        empty: frozenset[sympy.Basic] = frozenset()
        return empty.union(*(self._parts.get(symbol, empty) for symbol in symbols))
