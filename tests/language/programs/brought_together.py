"""What comes to one place is brought together, and what is equal is kept once; NaN among it."""

import torch

from tests.language.harness import case

NAN, INF = float("nan"), float("inf")
ROW, NAMED = torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor([0, 0, 2, 3])
COMING = torch.tensor([5.0, 6.0, -7.0, 8.0])
PLACES = [
    (ROW, NAMED, COMING),
    (torch.tensor([1.0, 2.0, NAN, 4.0]), NAMED, torch.tensor([5.0, NAN, -7.0, INF])),
    (torch.tensor([1.0, INF, 3.0, -0.5]), NAMED * 0 + 1, torch.tensor([-INF, 6.0, -7.0, 8.0])),
    (ROW, torch.tensor([0, 0, -1, 3]), COMING),
    (ROW, torch.tensor([0, 0, 4, 3]), COMING),
]
WHOLE = [
    (torch.tensor([1, 2, 3, 4]), NAMED, torch.tensor([5, 6, -7, 8])),
    (torch.tensor([1, 2, -3, 4]), NAMED * 0 + 2, torch.tensor([5, 6, -7, -9])),
]
REPEATED = [
    (torch.tensor([3.0, 1.0, 2.0, 1.0, 3.0]),),
    (torch.tensor([NAN, 1.0, NAN, 2.0, 1.0]),),
    (torch.tensor([INF, INF, -INF, 0.5, 0.5]),),
    (torch.full((5,), NAN),),
]
ROWS = [
    (torch.tensor([[1.0, 2.0], [1.0, 1.0], [1.0, 2.0], [0.0, 5.0]]),),
    (torch.tensor([[NAN, 1.0], [NAN, 1.0], [0.5, 0.0], [0.5, 0.0]]),),
    (torch.tensor([[2.0, INF], [INF, 1.0], [INF, 1.0], [2.0, 7.0]]),),
]


@case(inputs=PLACES, messages=False)
def scattered(x, index, source):
    """scatter_reduce: sums and products, with what is there or without; no place is negative"""
    sums = x.scatter_reduce(0, index, source, "sum")
    products = x.scatter_reduce(0, index, source, "prod", include_self=False)
    return sums, products, torch.scatter_reduce(x, 0, index, source, "sum", include_self=False)


@case(inputs=PLACES, messages=False)
def extremes_and_means(x, index, source):
    """scatter_reduce: the largest, the smallest and the mean of what comes to a place"""
    found = [
        x.scatter_reduce(0, index, source, reduce, include_self=own)
        for reduce in ("amax", "amin", "mean")
        for own in (True, False)
    ]
    return torch.stack(found)


@case(inputs=PLACES, messages=False)
def by_their_older_names(x, index, source):
    """scatter with reduce, also in place and of a number, adds or multiplies what comes to a place"""
    more = x.clone()
    more.scatter_(0, index, source, reduce="add").scatter_(-1, index, 2.5, reduce="multiply")
    return more, torch.scatter(x, 0, index, source, reduce="multiply")


@case(inputs=WHOLE)
def whole_numbers_by_their_older_names(x, index, source):
    """scatter of integers with reduce"""
    more = x.scatter(0, index, source, reduce="multiply")
    return more.scatter(0, index, 3, reduce="add")


@case(inputs=WHOLE)
def whole_numbers(x, index, source):
    """scatter_reduce of integers: means are rounded down"""
    return [
        x.scatter_reduce(0, index, source, reduce, include_self=own)
        for reduce in ("amax", "amin", "mean", "prod", "sum")
        for own in (True, False)
    ]


@case(inputs=[(x.repeat(2, 1), i, s.expand(2, 4)) for x, i, s in PLACES], messages=False)
def rows_brought_together(x, index, source):
    """index_reduce of columns"""
    return [
        x.index_reduce(1, index, source, reduce, include_self=own)
        for reduce in ("amax", "amin", "mean", "prod")
        for own in (True, False)
    ]


@case(inputs=REPEATED)
def kept_once(x):
    """torch.unique: each NaN is one of its own, behind all others"""
    values, places, counts = torch.unique(x, return_inverse=True, return_counts=True)
    return values, places, counts, x.unique(), x.reshape(5, 1).unique(return_inverse=True)


@case(inputs=ROWS)
def rows_kept_once(x):
    """torch.unique of rows and of columns: a row with NaN is equal to none"""
    rows, places, counts = torch.unique(x, dim=0, return_inverse=True, return_counts=True)
    return rows, places, counts, x.unique(dim=1), x[x[:, 0] > 0].unique(dim=0)


@case(inputs=[(x, *rows) for (x,), rows in zip(REPEATED, [*ROWS, ROWS[0]], strict=True)])
def kept_once_in_a_row(x, rows):
    """torch.unique_consecutive of elements and of rows"""
    values, places, counts = x.unique_consecutive(return_inverse=True, return_counts=True)
    chosen = torch.unique_consecutive(x[x < 9], dim=0, return_counts=True)
    return values, places, counts, chosen, torch.unique_consecutive(rows, dim=0), \
        rows.isnan().unique_consecutive(dim=-1), rows.long().unique_consecutive()


@case(inputs=[(torch.tensor([True, False]),), (torch.tensor([False, False]),)])
def truths_added(x):
    """What is true of a tensor, plus True or False; in place"""
    y = x.clone()
    y += True
    z = x.clone()
    z.add_(False)
    return x + True, False + x, x + 1, y, z, x * True
