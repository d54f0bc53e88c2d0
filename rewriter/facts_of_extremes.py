"""What relations with the least and the greatest of several sizes say of these sizes.

Max(0, b - a) >= 16    says    b - a >= 16, as 0 is less
Max(a, b) <= n         says    a <= n and b <= n
"""

from collections.abc import Callable, Iterable, Iterator

import sympy
from torch.utils._sympy.functions import Max, Min

from rewriter.size_expressions import expanded

_Bounds = Callable[[sympy.Basic], tuple[int | None, int | None]]

_MOST = 32


def said_of_parts(naturals: Iterable[sympy.Basic], bounds: _Bounds) -> list[sympy.Basic]:
    """Return expressions that are at least zero because others are, by their parts."""
    pending = [each for each in naturals if each.has(Max, Min)]
    found: dict[sympy.Basic, None] = {}
    while pending and len(found) < _MOST:
        for part in _said_of_parts(pending.pop(), bounds):
            if part not in found:
                found[part] = None
                pending += [part] if part.has(Max, Min) else []
    return list(found)


def _said_of_parts(natural: sympy.Basic, bounds: _Bounds) -> Iterator[sympy.Basic]:
    for choice in sorted(natural.atoms(Max, Min), key=str):
        factor = natural.coeff(choice)
        rest = expanded(natural - factor * choice)
        if factor == 0 or not factor.is_Integer or rest.has(choice):
            continue
        options = [expanded(rest + factor * part) for part in choice.args]
        if (factor > 0) == isinstance(choice, Max):  # one of them is what it says
            options = [each for each in options if not _is_negative(each, bounds)]
            options = options if len(options) == 1 else []
        yield from options


def _is_negative(expression: sympy.Basic, bounds: _Bounds) -> bool:
    _, most = bounds(expression)
    return most is not None and most < 0
