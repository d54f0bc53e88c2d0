"""Comprehensions, generators and iterators of known length."""

import torch

from tests.language.harness import NEGATIVE, POSITIVE, case


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def comprehension_over_known(x):
    """List, dict, set and generator comprehensions with known trip counts and filters."""
    doubled = [x * i for i in range(3) if i != 1]
    table = {f"k{i}": x[i].sum() for i in range(2)}
    numbers = {i % 2 for i in range(5)}
    pairs = [(i, j) for i in range(2) for j in range(i)]
    total = sum(row.max() for row in x)
    return doubled, table, len(numbers), pairs, total


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def comprehension_scope(x):
    """A comprehension's variable is its own; its first iterable is evaluated outside."""
    i = 7
    squares = [i * i for i in range(i - 4)]
    rows = [[y + i for y in range(2)] for i in squares]
    if x.sum() > 0:
        i += 1
    return i, squares, rows


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def loop_with_dynamic_conditional_expression(x):
    """Comprehension elements that are dynamic conditional expressions."""
    parts = [row if row.sum() > 0 else row * -10 for row in x]
    return torch.stack(parts)


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def iter_and_next(x):
    """iter and next over a known list, with a default at the end."""
    source = iter([1, 2])
    first = next(source)
    if x.sum() > 0:
        x = x * first
    rest = next(source)
    return x + rest, next(source, "end")


def _pairs(limit):
    """Yield the pairs below a limit."""
    for i in range(limit):
        for j in range(i):
            yield i, j
    yield limit, limit


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def generator_function(x):
    """A generator of known length is walked by for, list and unpacking."""
    total = 0
    for i, j in _pairs(3):
        if x.sum() > 0:
            total += i - j
        x = x + i
    first, *_, last = _pairs(2)
    return x, total, first, last


@case(inputs=[(n,) for n in (2, 5, 0)])
def bound_first_in_a_comprehension(n: int):
    """What `:=` binds for the first time, and a function in a variable around it, is read later"""
    if n > 9:  # known
        found = 0  # never

    def last():
        nonlocal found
        for i in range(n):
            found = i + n

    last()
    kept = [q for v in range(n) if (q := v + n) > 3]
    return kept, q, found
