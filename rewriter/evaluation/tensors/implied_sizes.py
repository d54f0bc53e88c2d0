"""What comparisons with sizes that are not asked about say of those that are."""

from collections.abc import Iterator

import sympy

from rewriter.size_orders import order
from rewriter.sizes import Sizes


def implied(
    symbols: frozenset[sympy.Basic], sizes: Sizes, facts: frozenset[sympy.Basic]
) -> Iterator[sympy.Basic]:
    """Yield ``0 < e`` for ``i < e`` where ``i``, of another size, is at least 0.

    That is how a walk over a part of a tensor, ``x[start:stop]``, comes to a row of it.
    """
    for fact in facts:
        if not isinstance(fact, sympy.StrictLessThan | sympy.StrictGreaterThan):
            continue
        if fact.lts.is_Symbol and fact.lts not in symbols and fact.gts.free_symbols <= symbols:
            low, _ = sizes.bounds_of(fact.lts)
            found = sympy.true if low is None else order(sympy.Lt, sympy.Integer(low), fact.gts)
            if isinstance(found, sympy.Rel):
                yield found
