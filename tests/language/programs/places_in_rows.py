"""searchsorted, the best so far, counts of integers and rolled tensors, at sizes of run time."""

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

NAN = torch.tensor([[1.0, float("nan"), -1.0], [2.0, 2.0, float("inf")]])
FIVE = [(MIXED,), (POSITIVE,), (NEGATIVE,), (ZERO,), (NAN,)]
COUNTS = [(POSITIVE, 2), (NEGATIVE, 0), (MIXED, -4), (ZERO, 9), (NAN, 1)]
INTEGERS = [
    (torch.tensor([1, 4, 4, 0]), 3),
    (torch.tensor([1, 4, 4, 0]), 9),
    (torch.tensor([0, 0, 0, 0]), 0),
    (torch.tensor([1, -1, 0, 2]), 3),
    (torch.tensor([7, 8, 9, 9]), 1),
    (torch.tensor([1, 2, 2, 0]), -1),
]


@case(inputs=FIVE)
def searched(x):
    """Places in a row, on either side, by rows, and in a row without order"""
    row = torch.tensor([-1.0, 0.0, 0.0, 0.5, 2.0])
    rows = x.sort(dim=1).values
    either = torch.searchsorted(row, x), torch.searchsorted(row, x, right=True)
    by_rows = torch.searchsorted(rows, x.contiguous()), torch.searchsorted(rows, x, side="right")
    unordered = torch.searchsorted(torch.tensor([3.0, -1.0, 2.0, 0.0]), x)
    return *either, *by_rows, unordered, torch.searchsorted(row, x, out_int32=True)


@case(inputs=FIVE)
def searched_by_order(x):
    """Places in rows that an order sorts, and of a number"""
    row = torch.tensor([2.0, -1.0, 0.5, 0.0])
    by_row = torch.searchsorted(row, x, sorter=torch.tensor([1, 3, 2, 0]))
    by_rows = torch.searchsorted(x, x.contiguous(), right=True, sorter=x.argsort(dim=1))
    kept = x[x > 0].sort().values
    numbers = torch.searchsorted(kept, 0.5), torch.searchsorted(kept, 1, right=True)
    return by_row, by_rows, *numbers, torch.searchsorted(kept.long(), 1, out_int32=True)


@case(inputs=FIVE)
def searched_among_chosen(x):
    """Places in a row of a length known at run time, which may be 0"""
    row = x[x > 0].sort().values
    return torch.searchsorted(row, x), torch.bucketize(x, row, right=True)


@case(inputs=FIVE)
def sorted_into_buckets(x):
    """bucketize halves, also where its boundaries have no order"""
    ordered = torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0]))
    return ordered, torch.bucketize(x, torch.tensor([1.0, -1.0, 0.0, -2.0]), right=True)


@case(inputs=FIVE)
def best_so_far(x):
    """cummax and cummin: of equal ones the last, NaN counts"""
    return *torch.cummax(x, 0), *x.cummin(1), *x.long().cummax(-1), x.sum(1).cummax(0)[0]


@case(inputs=INTEGERS, messages=False)
def counted(x, n):
    """bincount of at least so many; negative integers raise"""
    return torch.bincount(x, minlength=n), torch.bincount(x[x > 1], minlength=n)


@case(inputs=COUNTS, slow=True)
def rolled(x, n):
    """roll by a number of run time, along dimensions and over all, of what may be empty"""
    chosen = x[x > 0]
    return x.roll(n, 0), torch.roll(x, (n, -n), (0, 1)), x.roll(n), chosen.roll(n), chosen.roll(1)
