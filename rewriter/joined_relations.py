"""What is known of sizes after paths meet: relations that hold of them on every path."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations

import sympy

from rewriter.size_orders import order, replaced
from rewriter.sizes import Sizes

Replacement = Mapping[sympy.Symbol, sympy.Basic]
"""For symbols that stand for one size on each path: the size on one of them."""

_MOST_PAIRED = 6


def relations_at_join(
    sizes: Sizes, paths: Sequence[tuple[frozenset[sympy.Basic], Replacement]]
) -> frozenset[sympy.Basic]:
    """Return relations that hold on every path, given each path's facts and what was joined."""
    shared = frozenset.intersection(*(facts for facts, _ in paths))
    if not any(joined for _, joined in paths):
        return shared
    candidates = dict.fromkeys(c for facts, sizes_there in paths for c in said(facts, sizes_there))
    candidates |= dict.fromkeys(plain_relations(list(paths[0][1])))
    found = {c for c in candidates if c not in shared and all(holds(sizes, c, *p) for p in paths)}
    return shared | found


def said(facts: Iterable[sympy.Basic], joined: Replacement) -> list[sympy.Basic]:
    """Return what facts of a path say in terms of the joined symbols."""
    backward: dict[sympy.Basic, sympy.Basic] = {}
    for symbol, size in joined.items():
        size = sympy.expand(size.xreplace(backward))
        old = next((s for s in _ordered(size) if size.coeff(s) in (1, -1)), None)
        if old is None or old in joined or _occurs_otherwise(old, size):
            continue
        solution = sympy.expand(old - (size - symbol) / size.coeff(old))
        one = {old: solution}
        backward = {s: sympy.expand(e.xreplace(one)) for s, e in backward.items()} | one
    if not backward:
        return []
    changed = (fact for fact in sorted(facts, key=str) if fact.free_symbols & backward.keys())
    return [new for fact in changed if (new := replaced(fact, backward)).free_symbols]


def plain_relations(symbols: Sequence[sympy.Symbol]) -> list[sympy.Basic]:
    """Return relations worth a try: a size is not zero, sizes are in order."""
    few = symbols[:_MOST_PAIRED]
    pairs = permutations(few, 2)
    sizes = [*((s, sympy.S.One) for s in few), *pairs]
    return [order(sympy.Ge, one, other) for one, other in sizes]


def holds(
    sizes: Sizes, relation: sympy.Basic, facts: frozenset[sympy.Basic], joined: Replacement
) -> bool:
    """Return whether a relation of joined symbols certainly holds on a path."""
    there = replaced(relation, joined)
    if not there.free_symbols:
        return bool(there)
    sizes.facts = facts
    return sizes.decide(there) is True


def only_of(
    facts: frozenset[sympy.Basic], symbols: "frozenset[sympy.Symbol] | set[sympy.Symbol]"
) -> frozenset[sympy.Basic]:
    """Return the facts that speak of some symbols only."""
    return frozenset(fact for fact in facts if fact.free_symbols <= symbols)


def _ordered(expression: sympy.Basic) -> list[sympy.Symbol]:
    """Return the symbols of an expression, the newest first."""
    return sorted(expression.free_symbols, key=lambda symbol: -int(str(symbol)[1:]))


def _occurs_otherwise(symbol: sympy.Basic, expression: sympy.Basic) -> bool:
    return symbol in (expression - expression.coeff(symbol) * symbol).free_symbols
