"""Least and greatest of two sizes in one form: ``u - Min(1, u)`` is ``Max(0, u - 1)``.

Each becomes a sum with a positive part ``Max(0, d)``, of a difference or of its opposite:

    Max(a, b) = b + Max(0, a - b)      Min(a, b) = a - Max(0, a - b)
    Max(0, -d) = Max(0, d) - d
"""

from functools import lru_cache

import sympy
from sympy.core.relational import Relational
from torch.utils._sympy.functions import Max, Min

from rewriter.size_expressions import MOST_REMEMBERED

_EXTREMES = (Max, Min, sympy.Max, sympy.Min)
_GREATEST = (Max, sympy.Max)


def always(relation: sympy.Basic) -> bool | None:
    """Return what a relation of two sizes is that are equal in every case, None for others."""
    if not isinstance(relation, Relational) or not relation.has(*_EXTREMES):
        return None
    if _difference(relation.lhs, relation.rhs) != 0:
        return None
    return isinstance(relation, sympy.Eq | sympy.Ge | sympy.Le)


@lru_cache(maxsize=MOST_REMEMBERED)
def _difference(left: sympy.Basic, right: sympy.Basic) -> sympy.Basic:
    return sympy.expand(_as_positive_parts(left) - _as_positive_parts(right))


def _as_positive_parts(size: sympy.Basic) -> sympy.Basic:
    if not size.args:
        return size
    parts = [_as_positive_parts(part) for part in size.args]
    if isinstance(size, _EXTREMES) and len(parts) == 2:
        one, other = parts
        positive = _positive_part(sympy.expand(one - other))
        return other + positive if isinstance(size, _GREATEST) else one - positive
    return size.func(*parts)


def _positive_part(difference: sympy.Basic) -> sympy.Basic:
    """Return ``Max(0, difference)``, with one and the same term for a difference's opposite."""
    turned = sympy.expand(-difference)
    if str(turned) < str(difference):
        return _term(turned) + difference
    return _term(difference)


def _term(difference: sympy.Basic) -> sympy.Basic:
    return sympy.Function("positive_part")(difference)
