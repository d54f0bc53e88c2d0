"""`bisect` where the list, or what is looked for, is known at run time only."""

import bisect
from dataclasses import dataclass, field

import torch

from tests.language.harness import case

TIMES = torch.tensor([0.0, 1.0, 1.0, 2.5])
SOUGHT = [(TIMES, torch.tensor(value)) for value in (0.5, -1.0, 1.0, 9.0, 2.5)]


@case(inputs=SOUGHT)
def a_tensor_in_a_list_of_numbers(times, sought):
    """The place of a tensor with one element among numbers, on both sides of equal ones."""
    numbers = times.tolist()
    return bisect.bisect(numbers, sought), bisect.bisect_left(numbers, sought)


@case(inputs=SOUGHT)
def within_bounds(times, sought):
    """`lo` and `hi` limit the search; an empty list gives 0."""
    numbers = times.tolist()
    place = bisect.bisect_right(numbers, sought, 1, hi=3)
    return place, bisect.bisect([], sought), bisect.bisect_left([0.5, 1.5], sought.item())


@dataclass(order=True)
class Waiting:
    cost: float
    item: int = field(compare=False)


NUMBERS = [torch.tensor(values) for values in ([3, 7, 1, 7, 4], [9, 8, 7, 7, 0], [1, 1, 1, 2, 2])]


@case(inputs=[(x,) for x in NUMBERS])
def lists_kept_sorted(x):
    """`insort` of numbers and tuples, on both sides of equal ones, and between bounds."""
    numbers, pairs, rest = [], [], [9.0, 2.0]
    for place, value in enumerate(x.tolist()):
        bisect.insort(numbers, value)
        bisect.insort_left(pairs, (value, place))
        if value > 2:
            bisect.insort_right(rest, value * 0.5, 1, hi=len(rest))
    return numbers, pairs, rest


@case(inputs=[(x,) for x in NUMBERS])
def kept_sorted_by_a_key(x):
    """A key function is asked for what is put in, and for what is there."""
    pairs = []
    for value in x.tolist():
        bisect.insort(pairs, (value, -value), key=lambda pair: pair[1])
        bisect.insort_left(pairs, (value, -value), key=lambda pair: pair[1])
    places = [bisect.bisect(pairs, -4, key=lambda pair: pair[1])]
    places.append(bisect.bisect_left(pairs, -7, 1, key=lambda pair: pair[1]))
    return pairs, places


@case(inputs=[(x,) for x in NUMBERS])
def objects_kept_sorted(x):
    """Objects are asked by their own order; no bound is below 0."""
    queue = []
    for place, value in enumerate(x.tolist()):
        bisect.insort(queue, Waiting(value / 2, place), lo=min(value, 0))
    if x[4] > 3:
        bisect.insort_left(queue, queue[0], lo=-1)
    return [waiting.item for waiting in queue]
