"""A tensor is indexed by a tensor of one truth: there is one row, or none."""

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


@case(inputs=BOTH)
def one_row_or_none(x):
    """What is taken has one dimension more, also of a number and by a tuple"""
    sure = x.max() > 1
    return x[sure], x.sum()[sure], x[~sure,], len(x[sure])


@case(inputs=BOTH)
def written_or_not(x):
    """What one truth says is written: a number, what it has taken, a row"""
    total, other = x.sum(), x.min()
    sure, sums = total > 0, torch.ones_like(x.sum())
    sums[sure] = 1 - total[sure] / other[sure]
    sums[~sure] = 0.5
    rows = x.clone()
    rows[sure] = x[0] * 2
    rows[sure] += 1
    rows[(~sure,)] = 4.0
    return sums, rows


@case(inputs=BOTH)
def by_a_byte(x):
    """A byte is a truth, too"""
    sure = (x.min() < 0).to(torch.uint8)
    return x[sure] * 2


@case(inputs=BOTH)
def what_is_left(x):
    """Rows that are left are gone on with: where one was left, a mask of it has no dimension"""
    left, rounds = x, 0
    while left.shape[0] > 1:
        small = left.amax(1) < 1.2 + rounds
        left = left[~small]
        rounds += 1
    mask = (left.sum(1) > 0).squeeze()
    return left[mask].sum(), rounds


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def a_convolution_of_one_dimension_too_many(x):
    """What is chosen by one truth has a dimension more, which a convolution has no place for."""
    total, kept = x.sum(), x[None]
    if total < 1:
        kept = kept[total < 0]
    try:
        return torch.nn.functional.conv1d(kept, torch.ones(1, 2, 1))
    except RuntimeError:
        return kept.shape
