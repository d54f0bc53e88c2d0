"""What facts leave of the sizes that symbols may stand for."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import sympy
from sympy.core.relational import Relational

from rewriter.named_sizes import with_names
from rewriter.size_expressions import MOST_REMEMBERED, expanded
from rewriter.specs import SymbolRange


@dataclass(frozen=True, slots=True)
class ToldSizes:
    """Collects what facts tell of symbols, one after the other."""

    names: Mapping[sympy.Basic, sympy.Basic]
    """Sizes that have a symbol of their own."""
    bounds_of: Callable[[sympy.Basic], tuple[int | None, int | None]]
    _found: dict[sympy.Basic, SymbolRange] = field(default_factory=dict)
    _values: dict[sympy.Basic, int] = field(default_factory=dict)

    def told(
        self, new: Collection[sympy.Basic], old: Collection[sympy.Basic]
    ) -> dict[str, SymbolRange]:
        """Return what new facts tell of symbols, as texts, beside old ones.

        Where that is the value of one, all are asked again: h == 10 beside h * w == 100.
        """
        for fact in sorted(filter(_is_value, old), key=_text):
            self._ask(fact)
        self._found.clear()  # what old facts tell by themselves was told before
        asked = [*new]
        while asked:
            before = len(self._values)
            for fact in sorted(asked, key=_text):
                if isinstance(fact, Relational):
                    self._ask(fact)
            asked = [*new, *old] if len(self._values) > before else []
        return {str(symbol): size for symbol, size in self._found.items() if size != SymbolRange()}

    def _ask(self, fact: Relational) -> None:
        """Take note of what a fact tells of the one symbol in it that has no value."""
        difference = with_names(expanded(fact.lhs - fact.rhs), self.names)
        if not self._values.keys().isdisjoint(difference.free_symbols):
            difference = difference.subs(self._values)
        bounds = _where(fact, difference)
        if bounds is None:
            return
        (symbol,) = difference.free_symbols
        least, _ = self.bounds_of(symbol)
        if bounds.value is not None or (least is not None and least >= 0):
            known = self._found.get(symbol, SymbolRange()).within(bounds)
            self._found[symbol] = known
            if known.value is not None:
                self._values[symbol] = known.value


def _is_value(fact: sympy.Basic) -> bool:
    return isinstance(fact, sympy.Eq) and any(side.is_Integer for side in fact.args)


@lru_cache(maxsize=MOST_REMEMBERED)
def _text(fact: sympy.Basic) -> str:
    return str(fact)


@lru_cache(maxsize=MOST_REMEMBERED)
def _where(relation: sympy.Basic, difference: sympy.Basic) -> SymbolRange | None:
    """Return between which sizes a relation of a difference to zero holds.

    None where that is no range, and for other differences than linear ones of one symbol.
    """
    if len(difference.free_symbols) != 1:
        return None
    (symbol,) = difference.free_symbols
    if not difference.is_polynomial(symbol) or sympy.degree(difference, symbol) != 1:
        return None
    slope = difference.coeff(symbol, 1)
    root = -difference.coeff(symbol, 0) / slope
    rises = bool(slope > 0)
    match relation:
        case sympy.Eq() if root.is_Integer:
            return _between(root, root)
        case sympy.Ne() if root == 0:  # no size is negative
            return _between(1, None)
        case sympy.Ge() | sympy.Le():
            is_least = isinstance(relation, sympy.Ge) == rises
            return (
                _between(sympy.ceiling(root), None) if is_least else _between(0, sympy.floor(root))
            )
        case sympy.Gt() | sympy.Lt():
            is_least = isinstance(relation, sympy.Gt) == rises
            above, below = sympy.floor(root) + 1, sympy.ceiling(root) - 1
            return _between(above, None) if is_least else _between(0, below)
        case _:
            return None


def _between(low: sympy.Basic | int, high: sympy.Basic | int | None) -> SymbolRange | None:
    """Return a range of sizes; None where none is in it, on a way that is never taken."""
    if high is not None and int(high) < max(0, int(low)):
        return None
    return SymbolRange(minimum=max(0, int(low)), maximum=None if high is None else int(high))
