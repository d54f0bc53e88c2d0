"""Sizes that the facts of a path leave one number for, and facts that leave none."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sympy

from rewriter.sizes import Sizes


@dataclass(slots=True)
class _Range:
    """The integers from ``low`` to ``high``; infinite where nothing is known."""

    low: float
    high: float


def fixed_sizes(
    symbols: Iterable[sympy.Symbol], sizes: Sizes, facts: frozenset[sympy.Basic]
) -> dict[sympy.Basic, int] | None:
    """Return the symbols that can have one number only; None where the facts contradict each other.

    By propagation of bounds over the facts that are linear in their last open symbol, until
    nothing changes. What it finds is certain; that it finds nothing means nothing.
    """
    ranges = {symbol: _Range(*_known_range(symbol, sizes)) for symbol in symbols}
    ranges |= {
        symbol: _Range(*_known_range(symbol, sizes))
        for fact in facts
        for symbol in fact.free_symbols - ranges.keys()
    }
    values: dict[sympy.Basic, int] = {}
    while True:
        known = {symbol: sympy.Integer(number) for symbol, number in values.items()}
        for relation in (_at(fact, known) for fact in facts):
            if relation in (None, sympy.false) or not _narrow(relation, ranges):
                return None
        _narrow_computed(known, sizes, ranges)
        if any(each.low > each.high for each in ranges.values()):
            return None
        found = {s: int(each.low) for s, each in ranges.items() if each.low == each.high}
        if found.keys() == values.keys():
            return values
        values = found


def _at(expression: sympy.Basic, known: Mapping[sympy.Basic, sympy.Integer]) -> sympy.Basic | None:
    """Return an expression with the numbers of some symbols; None where it divides by zero."""
    try:
        made: sympy.Basic = expression.xreplace(known)
    except ZeroDivisionError:
        return None
    return made


def _known_range(symbol: sympy.Symbol, sizes: Sizes) -> tuple[float, float]:
    low, high = sizes.bounds_of(symbol)
    return -math.inf if low is None else low, math.inf if high is None else high


def _narrow(relation: sympy.Basic, ranges: dict[sympy.Symbol, _Range]) -> bool:
    """Narrow the one open symbol of a relation; False where no integer satisfies it."""
    if not isinstance(relation, sympy.Rel) or len(relation.free_symbols) != 1:
        return True
    (symbol,) = relation.free_symbols
    difference = sympy.expand(relation.args[0] - relation.args[1])
    factor = difference.coeff(symbol)
    rest = difference - factor * symbol
    if not (factor.is_Integer and rest.is_Integer and factor):
        return True
    root, one = sympy.Rational(-rest, factor), ranges[symbol]
    if isinstance(relation, sympy.Eq):
        one.low, one.high = max(one.low, math.ceil(root)), min(one.high, math.floor(root))
        return bool(root.is_Integer)
    if isinstance(relation, sympy.Ne):
        return True
    strict = isinstance(relation, sympy.StrictLessThan | sympy.StrictGreaterThan)
    below = isinstance(relation, sympy.LessThan | sympy.StrictLessThan) == (factor > 0)
    if below:
        one.high = min(one.high, math.ceil(root) - 1 if strict else math.floor(root))
    else:
        one.low = max(one.low, math.floor(root) + 1 if strict else math.ceil(root))
    return True


def _narrow_computed(
    known: Mapping[sympy.Basic, sympy.Integer],
    sizes: Sizes,
    ranges: Mapping[sympy.Symbol, _Range],
) -> None:
    """Fix the lengths of slices whose bounds are fixed."""
    for symbol, (bound, size) in sizes.bounds.items():
        stop, whole = _at(bound, known), _at(size, known)
        if symbol not in ranges or stop is None or whole is None:
            continue
        if stop.is_Integer and whole.is_Integer:
            length = len(range(max(0, int(whole)))[: int(stop)])
            one = ranges[symbol]
            one.low, one.high = max(one.low, length), min(one.high, length)
