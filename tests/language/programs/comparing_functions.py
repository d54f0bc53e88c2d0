"""Sorting by a function that compares two items: ``functools.cmp_to_key``."""

import functools
import math

import torch

from tests.language.harness import case, counted

FOUR = [
    (torch.tensor([3.0, 1.0, 2.0, 1.0]),),
    (torch.tensor([-1.0, -1.0, -2.0, -3.0]),),
    (torch.tensor([1.0, 5.0, 6.0, 7.0]),),
    (torch.tensor([1.0, math.nan, -5.0, 0.0]),),
]
COUNTED = [counted(3, 1, 2), counted(), counted(1), counted(5, 5, 1, 2), counted(2, 1)]


def by_score(one, other):
    """Compare the second items, the first where these are equal."""
    if one[1] != other[1]:
        return -1 if one[1] > other[1] else 1
    return one[0] - other[0]


@case(inputs=FOUR)
def known_number_of_items(x):
    """A known number of items with scores of run time, sorted and sorted in place."""
    items = list(enumerate(x.tolist()))
    key = functools.cmp_to_key(by_score)
    before = sorted(items, key=key, reverse=True)
    items.sort(key=key)
    return before, items, [i for i, _ in items]


@case(inputs=COUNTED)
def run_time_number_of_items(x, n):
    """As many items as a number says."""
    items = list(enumerate(x[:n].tolist()))
    before = sorted(items, key=functools.cmp_to_key(by_score))
    items.sort(key=functools.cmp_to_key(lambda a, b: a[0] % 2 - b[0] % 2), reverse=True)
    return before, items


@case(inputs=FOUR)
def compares_that_are_counted(x):
    """The function is called for the pairs that CPython asks it about, in that order."""
    asked = []

    def compare(one, other):
        asked.append((one, other))
        return (x[one] > x[other]).item() - (x[one] < x[other]).item()

    return sorted(range(4), key=functools.cmp_to_key(compare)), asked


@case(inputs=FOUR)
def records(x):
    """Records keep what they are: a change of one is seen in the list."""
    found = [{"place": i, "score": s} for i, s in enumerate(x.tolist())]

    def compare(one, other):
        return (one["score"] > other["score"]) - (one["score"] < other["score"])

    ordered = sorted(found, key=functools.cmp_to_key(compare))
    ordered[0]["place"] = -1
    return [record["place"] for record in found], [record["place"] for record in ordered]


@case(inputs=FOUR)
def tensors(x):
    """Tensors are compared by what the function computes of them."""
    rows = [x * 2, x - 1, x.flip(0)]
    key = functools.cmp_to_key(lambda a, b: (a[0] - b[0]).item())
    return sorted(rows, key=key), max(rows, key=key)


@case(inputs=[(3,), (1,), (-4,)])
def known_items(n):
    """Known items stay known; the function may look at what is not."""
    names = ["b", "ab", "c"]
    names.sort(key=functools.cmp_to_key(lambda a, b: len(a) - len(b)))
    by_sign = sorted([1, 2, 3], key=functools.cmp_to_key(lambda a, b: (a - b) * n))
    return names, by_sign


@case(inputs=FOUR)
def keys_of_their_own(x):
    """A key is an object that compares."""
    key = functools.cmp_to_key(lambda a, b: a - b)
    one, other = key(x[0].item()), key(x[1].item())
    return one < other, one > other, one <= other, one >= other, one == other


@case(inputs=FOUR)
def a_comparison_that_raises(x):
    """What the function raises reaches the caller; the list is in the order that it had so far."""
    items = x.tolist()

    def compare(one, other):
        if one < 0:
            raise ValueError("negative")
        return one - other

    try:
        items.sort(key=functools.cmp_to_key(compare))
    except ValueError:
        return items, True
    return items, False
