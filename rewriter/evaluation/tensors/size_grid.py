"""Small sizes at which operations are tried besides: every symbol gets numbers."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice, product

import sympy
import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._pytree import tree_leaves, tree_map

from rewriter.evaluation.tensors.fixed_sizes import fixed_sizes
from rewriter.evaluation.tensors.implied_sizes import implied
from rewriter.evaluation.tensors.impossible_sizes import contradict
from rewriter.evaluation.tensors.size_equations import Solutions, solutions
from rewriter.evaluation.tensors.size_search import SizeSearch
from rewriter.size_expressions import is_fixed, symbols_of, value_at
from rewriter.size_numbers import holds_at, integer_at
from rewriter.sizes import Sizes
from rewriter.storages import storage_key

Valuation = Mapping[sympy.Basic, int]

_SIZES = (0, 1, 2, 3, 5, 4, 8)
_SIGNED = (-4, -2, -1)
_MOST = 24
_TRIED = 600
_STARTS = 5
_FARTHEST = 1 << 20
"""The largest size that a relation is solved for by trying."""


def symbols_among(*contents: object) -> list[sympy.Symbol]:
    """Return the symbols of the tensors and integers in nests of containers, in order."""
    found: set[sympy.Symbol] = set()
    for leaf in tree_leaves(contents):
        if isinstance(leaf, FakeTensor) and not is_fixed(leaf):
            found |= symbols_of(leaf)
        elif isinstance(leaf, torch.SymInt):
            found |= leaf.node.expr.free_symbols
        elif isinstance(leaf, slice):
            found |= set(symbols_among(leaf.start, leaf.stop, leaf.step))
    return sorted(found, key=lambda symbol: int(str(symbol)[1:]))


def valuations(
    symbols: Sequence[sympy.Symbol], sizes: Sizes, facts: frozenset[sympy.Basic]
) -> list[Valuation]:
    """Return numbers for the symbols that ranges and facts allow: all alike, all apart, mixed."""
    among = frozenset(symbols)
    symbols = _independent(symbols, sizes)
    facts |= frozenset(implied(among.union(symbols), sizes, facts))
    sizes.facts = facts
    found = _search(symbols, sizes, facts, {})
    if not found and (fixed := fixed_sizes(symbols, sizes, facts)):
        found = _search(symbols, sizes, facts, fixed)
    if found or contradict(facts, sizes):
        return found
    return _step_by_step(symbols, sizes, facts)


def _step_by_step(
    symbols: Sequence[sympy.Symbol], sizes: Sizes, facts: frozenset[sympy.Basic]
) -> list[Valuation]:
    starts = islice(_combinations([_choices(symbol, sizes) for symbol in symbols]), _STARTS)
    search = SizeSearch(symbols, sizes, facts, partial(_add_bounds, sizes=sizes))
    return search.found(starts) if symbols else []


def _search(
    symbols: Sequence[sympy.Symbol],
    sizes: Sizes,
    facts: frozenset[sympy.Basic],
    fixed: Valuation,
) -> list[Valuation]:
    """Return numbers that fit, trying some for each symbol that no equation gives."""
    solved = {} if fixed else solutions(symbols, facts)
    symbols = [symbol for symbol in symbols if symbol not in solved]
    choices = [[fixed[s]] if s in fixed else _choices(s, sizes) for s in symbols]
    named = [(fact, fact.free_symbols) for fact in facts]
    found: dict[tuple[int, ...], Valuation] = {}
    for numbers in islice(_combinations(choices), _TRIED):
        if numbers in found:
            continue
        values = dict(zip(symbols, numbers, strict=True))
        if not _add_solved(values, solved, sizes):
            continue
        _add_bounds(values, sizes)
        known = [fact for fact, names in named if names <= values.keys()]
        if all_hold(known, values):
            found[numbers] = values
            if len(found) >= _MOST:
                break
    return list(found.values())


def _independent(symbols: Sequence[sympy.Symbol], sizes: Sizes) -> list[sympy.Symbol]:
    """Return the symbols, with what they are computed from for those that are computed."""
    found: dict[sympy.Symbol, None] = {}
    for symbol in symbols:
        if symbol in sizes.bounds:
            inner = {s for part in sizes.bounds[symbol] for s in part.free_symbols}
            ordered = sorted(inner, key=lambda s: int(str(s)[1:]))
            found |= dict.fromkeys(_independent(ordered, sizes))
        else:
            found[symbol] = None
    return list(found)


def _add_solved(values: dict[sympy.Basic, int], solved: Solutions, sizes: Sizes) -> bool:
    """Add the numbers of symbols that equations give, and say whether their ranges have these."""
    known = {symbol: sympy.Integer(number) for symbol, number in values.items()}
    for symbol, solution in solved.items():
        number = solution.xreplace(known)
        low, high = sizes.bounds_of(symbol)
        if not number.is_Integer or (low is not None and number < low):
            return False
        if high is not None and number > high:
            return False
        values[symbol] = int(number)
    return True


def _add_bounds(values: dict[sympy.Basic, int], sizes: Sizes) -> None:
    """Add the numbers of symbols that are computed from others."""
    for symbol, (bound, size) in sizes.bounds.items():
        if bound.free_symbols | size.free_symbols <= values.keys():
            whole = range(max(0, integer_at(size, values) or 0))
            values[symbol] = len(whole[: integer_at(bound, values)])


def _choices(symbol: sympy.Symbol, sizes: Sizes) -> list[int]:
    low, high = sizes.bounds_of(symbol)
    numbers = [*_SIZES, *(() if low is not None and low >= 0 else _SIGNED)]
    if low is not None and low > 3:
        numbers = [low + number for number in numbers]
    computed = [s for s in sizes.bounds if symbol in _independent([s], sizes)]
    near = sorted({n for each in (symbol, *computed) for n in _near_facts(each, sizes)})
    numbers += [n for n in near if n not in numbers]
    if own := _allowed(numbers, symbol, sizes):
        return own
    if low is None and not sizes.decide(sympy.Ge(symbol, 0)):
        return [high or 0]
    least = _least(symbol, low or 0, sizes)
    return _allowed([least + number for number in _SIZES], symbol, sizes) or [least]


def _allowed(numbers: Sequence[int], symbol: sympy.Symbol, sizes: Sizes) -> list[int]:
    """Return the numbers that the range of a symbol and the facts do not exclude."""
    low, high = sizes.bounds_of(symbol)
    return [
        n
        for n in numbers
        if (low is None or n >= low)
        and (high is None or n <= high)
        and sizes.decide(sympy.Eq(symbol, n)) is not False
    ]


def _least(symbol: sympy.Symbol, low: int, sizes: Sizes) -> int:
    """Return the largest number that a symbol is surely no smaller than: 41 where it is over 40.

    Where it is larger than any, as facts that contradict each other say, that is any number.
    """
    if sizes.decide(sympy.Ge(symbol, _FARTHEST)):
        return _FARTHEST
    step = 1
    while step < _FARTHEST and sizes.decide(sympy.Ge(symbol, low + step)):
        low, step = low + step, step * 2
    while step:
        if sizes.decide(sympy.Ge(symbol, low + step)):
            low += step
        step //= 2
    return low


def _near_facts(symbol: sympy.Symbol, sizes: Sizes) -> list[int]:
    """Return numbers around those that a fact compares the symbol with."""
    own = [fact for fact in sizes.facts if fact.free_symbols == {symbol}]
    compared = {int(number) for fact in own for number in fact.atoms(sympy.Integer)}
    compared |= {root for fact in own if (root := _root(fact, symbol, sizes)) is not None}
    near = {n + step for n in compared for step in (-1, 0, 1, 2)}
    low, _ = sizes.bounds_of(symbol)
    return sorted(n for n in near if low is None or n >= low)


def _root(fact: sympy.Basic, symbol: sympy.Symbol, sizes: Sizes) -> int | None:
    """Return the number, rounded down, at which both sides of a comparison are the same."""
    if not isinstance(fact, sympy.Rel):
        return None
    difference = sympy.expand(fact.args[0] - fact.args[1])
    factor = difference.coeff(symbol)
    rest = difference - factor * symbol
    if not (factor.is_Integer and rest.is_Integer):
        return _crossing(difference, symbol, sizes)
    return int(-rest // factor) if factor else None


def _crossing(difference: sympy.Expr, symbol: sympy.Symbol, sizes: Sizes) -> int | None:
    """Return where an expression that grows or falls with a size comes to 0: (n - 1) // 2 - 9."""
    low, high = sizes.bounds_of(symbol)
    start, end = low or 0, _FARTHEST if high is None else high
    first, last = (integer_at(difference, {symbol: n}) for n in (start, end))
    if first is None or last is None or (first < 0) == (last < 0):
        return None
    while end - start > 1:
        middle = (start + end) // 2
        here = integer_at(difference, {symbol: middle})
        if here is None:
            return None
        if (here < 0) == (first < 0):
            start = middle
        else:
            end = middle
    return start


def _combinations(choices: list[list[int]]) -> "list[tuple[int, ...]]":
    """Return tuples of choices: each position in turn at each choice first, then all."""
    base = [options[min(3, len(options) - 1)] for options in choices]
    apart = [options[min(2 + i % 4, len(options) - 1)] for i, options in enumerate(choices)]
    made: list[tuple[int, ...]] = [tuple(base), tuple(apart)]
    made += [tuple(_nearest(options, common) for options in choices) for common in (0, 1, 2)]
    for start in (base, apart):
        for position, options in enumerate(choices):
            made += [(*start[:position], n, *start[position + 1 :]) for n in options]
    made += islice(product(*choices), _TRIED)
    return made


def all_hold(relations: Iterable[sympy.Basic], values: Valuation) -> bool:
    """Return whether relations hold at numbers."""
    return all(holds_at(relation, values) for relation in relations)


def _nearest(options: list[int], number: int) -> int:
    return min(options, key=lambda option: abs(option - number))


def concrete(content: object, values: Valuation, mode: FakeTensorMode) -> object:
    """Return fake tensors of fixed sizes, and numbers, for those with symbols.

    Tensors that share memory share it there too.
    """
    storages: dict[int, torch.Tensor] = {}
    made: dict[int, torch.Tensor] = {}

    def one(leaf: object) -> object:
        if isinstance(leaf, torch.SymInt):
            return value_at(leaf, values)
        if isinstance(leaf, slice):
            return slice(one(leaf.start), one(leaf.stop), one(leaf.step))
        if not isinstance(leaf, FakeTensor):
            return leaf
        if id(leaf) not in made:
            made[id(leaf)] = _tensor(leaf, values, mode, storages)
        return made[id(leaf)]

    return tree_map(one, content)


def _tensor(
    leaf: FakeTensor, numbers: Valuation, mode: FakeTensorMode, storages: dict[int, torch.Tensor]
) -> torch.Tensor:
    shape = [value_at(size, numbers) for size in leaf.shape]
    strides = [value_at(step, numbers) for step in leaf.stride()]
    offset = value_at(leaf.storage_offset(), numbers)
    needed = offset + sum(max(s - 1, 0) * step for s, step in zip(shape, strides, strict=True)) + 1
    key = storage_key(leaf)
    if key not in storages:
        storages[key] = torch.empty(max(needed, 1 << 16), dtype=leaf.dtype, device="meta")
    base = storages[key]
    if base.dtype != leaf.dtype or needed > base.numel():
        made = torch.empty_strided(shape, strides, dtype=leaf.dtype, device="meta")
    else:
        made = base.as_strided(shape, strides, offset)
    # what PyTorch does in the mode itself takes a millisecond
    return FakeTensor(mode, made, torch.device("cpu"))


def is_possible(content: object, values: Valuation) -> bool:
    """Return whether no size, stride or beginning in memory of a tensor is negative."""
    return all(
        value_at(part, values) >= 0
        for leaf in tree_leaves(content)
        if isinstance(leaf, FakeTensor)
        for part in (*leaf.shape, *leaf.stride(), leaf.storage_offset())
        if not isinstance(part, int)
    )
