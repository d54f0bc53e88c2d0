"""Generator expressions over what is in lists of run-time lists."""

import heapq
import itertools
import math
from collections import Counter

import torch

from tests.language.harness import case, noise

ROWS = [(noise(3, 3, seed=seed),) for seed in range(6)]


@case(inputs=ROWS, slow=True)
def taken_by_others(x):
    """nlargest, prod, Counter, dict and tuple take all that there is"""
    rows = [[value for value in row if value > 0] for row in x.tolist()]
    largest = heapq.nlargest(2, itertools.chain.from_iterable(rows))
    counted = Counter(int(value * 2) for row in rows for value in row)
    numbered = dict((int(value * 9), len(row)) for row in rows for value in row)
    product = math.prod(value for row in rows for value in row)
    pairs = tuple((one, other) for row in rows for one in row for other in row if one < other)
    return largest, sorted(counted.items()), numbered, product, len(pairs), pairs[:2]


@case(inputs=ROWS)
def sums_and_extremes(x):
    """The outer list is known to have three rows, or ends at run time, too"""
    rows = [[value for value in row if value > 0] for row in x.tolist()]
    some = [row for row in rows if len(row) > 1]
    total = sum(value for row in rows for value in row)
    most = max((value for row in rows for value in row if value < 1), default=0.5)
    least = min((value for row in some for value in row), default=-1.0)
    return total, most, least, sorted(value for row in some for value in row), len(some)


@case(inputs=ROWS)
def left_early(x):
    """any() and all() stop at the first that decides"""
    rows = [[value for value in row if value > 0] for row in x.tolist() if row[0] > -0.5]
    large = any(value > 1 for row in rows for value in row)
    small = all(value < 2 for row in rows for value in row)
    return large, small, sum(1 for row in rows for _ in row), torch.tensor(len(rows))


@case(inputs=ROWS, slow=True)
def strings_and_sets(x):
    """Strings are joined, whole numbers are in a set"""
    rows = [["pn"[value < 0] for value in row if abs(value) > 0.5] for row in x.tolist()]
    whole = [[int(value * 2) for value in row if value > 0] for row in x.tolist()]
    text = "-".join([sign for row in rows for sign in row])
    return text, sorted(set(value for row in whole for value in row)), x


@case(inputs=ROWS, refused="DYCL041")
def tensors_in_rows(x):
    """Adding tensors may fail between two items, where the outer list is known"""
    rows = [[row * value for value in row.tolist() if value > 0] for row in x]
    return sum(value for row in rows for value in row)


class Noting:
    """Notes what is added to it, and what was made before."""

    def __init__(self):
        self.seen = []

    def __add__(self, value):
        self.seen.append(value)
        return self


@case(inputs=ROWS)
def between_two_items(x):
    """What is added, or has a key, is seen before the next item is made"""
    rows = [[value for value in row if value > 0] for row in x.tolist() if row[0] > -0.5]
    total, noted = Noting(), []

    def made(value):
        total.seen.append(100.0)
        noted.append(value)
        return value

    def key(value):
        noted.append(-1.0)
        return -value

    sum((made(value) for value in x[0].tolist()), total)
    sum((made(value) for row in rows for value in row), total)
    least = heapq.nsmallest(2, (made(value) for row in rows for value in row), key=key)
    most = max((made(value) for row in rows for value in row), key=key, default=0.0)
    return total.seen, noted, least, most
