"""Whether facts about sizes contradict each other: by cases, as where a slice ends."""

from collections.abc import Iterator

import sympy

from rewriter.sizes import Sizes

Facts = frozenset[sympy.Basic]
_MOST = 64
"""How many sets of facts are looked at."""


def contradict(facts: Facts, sizes: Sizes) -> bool:
    """Return whether no sizes fit facts; False where that is not found out."""
    before = sizes.facts
    try:
        return _all_contradict(facts, sizes)
    finally:
        sizes.facts = before


def _all_contradict(facts: Facts, sizes: Sizes) -> bool:
    pending = [facts]
    for _ in range(_MOST):
        if not pending:
            return True
        one = pending.pop()
        cases = next(_splits(one, sizes), None)
        if cases is not None:
            pending += [one | {case} for case in cases]
        elif not _is_contradicted(one, sizes):
            return False
    return False


def _splits(facts: Facts, sizes: Sizes) -> Iterator[list[sympy.Basic]]:
    """Yield relations of which one holds, as far as facts do not say which one."""
    sizes.facts = facts
    symbols = frozenset[sympy.Basic]().union(*(fact.free_symbols for fact in facts))
    for symbol, (bound, size) in sizes.bounds.items():
        if symbol in symbols:
            yield from _open_cases(_ends(symbol, bound, size, sizes), facts, sizes)
    for fact in sorted(facts, key=str):
        if isinstance(fact, sympy.Or) and not any(part in facts for part in fact.args):
            yield [part for part in fact.args if sizes.decide(part) is not False]


def _open_cases(
    questions: Iterator[tuple[sympy.Basic, sympy.Basic | None]], facts: Facts, sizes: Sizes
) -> Iterator[list[sympy.Basic]]:
    """Yield the first question that is open, or else what its answer says."""
    for question, answer in questions:
        truth = sizes.decide(question)
        if truth is None:
            yield [question, sympy.Not(question)]
            return
        if truth and answer is not None:
            if answer not in facts and answer is not sympy.true:
                yield [] if sizes.decide(answer) is False else [answer]
            return


def _ends(
    symbol: sympy.Symbol, bound: sympy.Basic, size: sympy.Basic, sizes: Sizes
) -> Iterator[tuple[sympy.Basic, sympy.Basic | None]]:
    """Yield in which cases a slice ends where: at its bound, which may count from the end."""
    if sizes.decide(sympy.Ge(bound, 0)) is not False:
        yield sympy.Ge(bound, 0), None
    if sizes.decide(sympy.Ge(bound, 0)):
        yield sympy.Le(bound, size), sympy.Eq(symbol, bound)
        yield sympy.Gt(bound, size), sympy.Eq(symbol, size)
    else:
        yield sympy.Ge(bound + size, 0), sympy.Eq(symbol, bound + size)
        yield sympy.Lt(bound + size, 0), sympy.Eq(symbol, 0)


def _is_contradicted(facts: Facts, sizes: Sizes) -> bool:
    """Return whether a fact is wrong where all others hold."""
    for fact in facts:
        sizes.facts = facts - {fact}
        if fact is sympy.false or sizes.decide(fact) is False:
            return True
    return False
