"""`bisect` where the list, or what is looked for, is known at run time only."""

import bisect

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
