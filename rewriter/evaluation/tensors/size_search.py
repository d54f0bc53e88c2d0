"""Numbers for sizes that fit relations of any form, found step by step from numbers that do not.

Where a product of two sizes must be a number, or a size that is computed from others must be the
same as one of them, the sizes that fit are few of many, and none is solved for.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product

import sympy

from rewriter.size_numbers import holds_at, integer_at
from rewriter.sizes import Sizes

_Values = dict[sympy.Basic, int]
_Complete = Callable[[_Values], None]

_STEPS = tuple(sign * (1 << power) for power in range(11) for sign in (1, -1))
_MOST = 8
_TRIED = 3000
_FITS = (0, 0)


class SizeSearch:
    """A search for numbers that bring the distance from some relations to nothing."""

    def __init__(
        self,
        symbols: Sequence[sympy.Symbol],
        sizes: Sizes,
        relations: Iterable[sympy.Basic],
        complete: _Complete,
    ) -> None:
        self._ranges = {symbol: sizes.bounds_of(symbol) for symbol in symbols}
        self._relations = [(relation, relation.free_symbols) for relation in relations]
        self._complete = complete
        self._left = _TRIED

    def found(self, starts: Iterable[Sequence[int]]) -> list[Mapping[sympy.Basic, int]]:
        """Return numbers that fit, from the first start that leads to some, and others nearby."""
        for start in starts:
            here = dict(zip(self._ranges, start, strict=True))
            fitting = self._descended(here)
            if fitting is not None:
                around = [each for each in self._moves(fitting) if self._distance(each) == _FITS]
                return [self._completed(each) for each in (fitting, *around)[:_MOST]]
        return []

    def _descended(self, here: dict[sympy.Symbol, int]) -> dict[sympy.Symbol, int] | None:
        """Take the best step until relations hold; None where no step makes it better."""
        distance = self._distance(here)
        while distance != _FITS:
            near = ((self._distance(there), there) for there in self._moves(here))
            best, there = min(near, key=lambda pair: pair[0], default=(distance, here))
            if best >= distance:
                return None
            distance, here = best, there
        return here

    def _moves(self, here: dict[sympy.Symbol, int]) -> Iterator[dict[sympy.Symbol, int]]:
        """Yield numbers that differ by one step: of one symbol, or of two that are tied."""
        alone, together = combinations(here, 1), combinations(here, 2)
        for moved, step in product((*alone, *together), _STEPS):
            there = here | {symbol: here[symbol] + step for symbol in moved}
            if all(self._is_in_range(symbol, there[symbol]) for symbol in moved):
                self._left -= 1
                if self._left < 0:
                    return
                yield there

    def _is_in_range(self, symbol: sympy.Symbol, number: int) -> bool:
        low, high = self._ranges[symbol]
        return (low is None or number >= low) and (high is None or number <= high)

    def _completed(self, numbers: Mapping[sympy.Symbol, int]) -> _Values:
        values: _Values = dict(numbers)
        self._complete(values)
        return values

    def _distance(self, numbers: Mapping[sympy.Symbol, int]) -> tuple[int, int]:
        """Return how many relations do not hold, and by how much they are missed."""
        values = self._completed(numbers)
        known = (each for each, names in self._relations if names <= values.keys())
        missed = [missing for each in known if (missing := distance(each, values))]
        return len(missed), sum(missed)


def distance(relation: sympy.Basic, values: Mapping[sympy.Basic, int]) -> int:
    """Return by how much numbers miss a relation: 0 where it holds, and only there."""
    if isinstance(relation, sympy.And):
        return sum(distance(part, values) for part in relation.args)
    if isinstance(relation, sympy.Or):
        return min(distance(part, values) for part in relation.args)
    if holds_at(relation, values):
        return 0
    if not isinstance(relation, sympy.Rel):
        return 1
    left, right = (integer_at(side, values) for side in relation.args)
    return 1 if left is None or right is None else max(1, abs(left - right))
