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


FROM = [(MIXED, n) for n in (0, 1, 2, 9)]


@case(inputs=FROM, refused="DYCL031")
def beside_places_and_a_slice_of_any_size(x, n):
    """Beside places it raises, or not, by what it holds, which sizes do not say."""
    sure = x.max() > 0
    return x if n > 7 else x[n:, sure, [0, 1]]  # <- refused


@case(inputs=FROM, refused="DYCL031")
def written_beside_places_and_a_slice(x, n):
    """So does a store."""
    y, sure = x[..., None] + 1, x.max() > 0
    if n < 7:
        y[n:, sure, [0, 1]] = 5.0  # <- refused
    return y


@case(inputs=[(x, n) for x in (MIXED, POSITIVE) for n in (0, 1, 2, 9)], messages=False)
def columns_of_any_number_of_rows(x, n):
    """As many columns as a mask chooses, of as many rows as are left, which may be none."""
    y, mask = x[n:] + 1, x[0] > 0
    y[:, mask] = x[n:] * 5
    return y
