"""Differences of sizes, written with the symbols of those sizes that have a name of their own."""

from collections.abc import Mapping
from functools import lru_cache

import sympy


def with_names(difference: sympy.Basic, names: Mapping[sympy.Basic, sympy.Basic]) -> sympy.Basic:
    """Return an expanded difference with names in it: u0 - max(0, u0 - 3) may be u1."""
    number, rest = difference.as_coeff_Add()
    for named, symbol in names.items() if difference.free_symbols else ():
        own, part = _number_and_rest(named)
        for sign in (1, -1):
            if rest == sign * part and (number - sign * own).is_Integer:
                return sign * symbol + number - sign * own
    made: sympy.Basic = difference.xreplace(dict(names))
    return made


@lru_cache(maxsize=4096)
def _number_and_rest(size: sympy.Basic) -> tuple[sympy.Basic, sympy.Basic]:
    """Return the number that a size adds to the rest of it."""
    number, rest = sympy.expand(size).as_coeff_Add()
    return number, rest
