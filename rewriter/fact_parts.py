"""Facts about sizes in parts that have no symbol in common: one says nothing about another."""

from collections.abc import Iterable

import sympy


class FactParts:
    """A set of facts, parted so that a question is put only to those which may answer it."""

    def __init__(self, facts: frozenset[sympy.Basic]) -> None:
        self._parts: dict[sympy.Basic, frozenset[sympy.Basic]] = {}
        """The facts of the part that a symbol is in."""
        symbols_of: dict[frozenset[sympy.Basic], set[sympy.Basic]] = {}
        for fact in facts:
            symbols = set(fact.free_symbols)
            touched = {self._parts[symbol] for symbol in symbols if symbol in self._parts}
            part = frozenset((fact,)).union(*touched)
            for old in touched:
                symbols |= symbols_of.pop(old)
            symbols_of[part] = symbols
            self._parts |= dict.fromkeys(symbols, part)

    def about(self, symbols: Iterable[sympy.Basic]) -> frozenset[sympy.Basic]:
        """Return the facts that have to do with symbols, directly or through others."""
        empty: frozenset[sympy.Basic] = frozenset()
        return empty.union(*(self._parts.get(symbol, empty) for symbol in symbols))
