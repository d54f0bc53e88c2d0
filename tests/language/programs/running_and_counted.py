"""What comes of all elements so far, medians and counts, of a number that only the run knows"""

import torch
from torch.export import Dim

from tests.language.harness import case, noise

NAN, INF = float("nan"), float("inf")
ANY = {"x": {0: Dim("n", max=300)}}
ROWS = [
    (torch.tensor([3.0, 1.0, 2.0, 1.0, 3.0]),),
    (torch.tensor([1.0]),),
    (torch.tensor([]),),
    (torch.tensor([NAN, 1.0, NAN, 2.0]),),
    (torch.tensor([INF, -INF, 1.0, 1.0]),),
    (noise(130),),
]
MATRICES = [(torch.stack([row, row.flip(0)], 1),) for (row,) in ROWS if row.numel()]


@case(inputs=[*MATRICES, (torch.zeros(0, 2),)], dynamic_shapes=ANY, rounds=True, slow=True)
def products_so_far(x):
    """cumprod and logcumsumexp"""
    return x.cumprod(0), (x * 3).long().cumprod(0), x.logcumsumexp(0), x[:, 0].cumprod(0)


@case(inputs=[*MATRICES, (torch.zeros(0, 2),)], dynamic_shapes=ANY, slow=True)
def best_so_far(x):
    """cummax and cummin: the last of equal ones, the last NaN"""
    return x.cummax(0), x.cummin(0), (x > 1).long().cummax(0)


@case(inputs=ROWS, dynamic_shapes=ANY)
def middle_ones(x):
    """median and nanmedian: of nothing, NaN"""
    return x.median(), x.nanmedian(), x[x > 1].median()


@case(inputs=[*MATRICES, (torch.zeros(0, 2),)], dynamic_shapes=ANY, messages=False)
def middle_of_columns(x):
    """Medians along a dimension, which must have elements"""
    return x.median(0).values, x.nanmedian(0, keepdim=True)[0]


@case(inputs=[((x.nan_to_num() * 2**40).long(),) for (x,) in ROWS], dynamic_shapes=ANY)
def middle_integers(x):
    """Of integers, too; of none, what eager makes of NaN"""
    return x.median(), x.nanmedian(), x[x > 1].int().median(), x[x > 1].to(torch.uint8).median()


@case(inputs=[*MATRICES, (torch.zeros(0, 2),)], dynamic_shapes=ANY, messages=False)
def second_smallest(x):
    """Of none that is an IndexError, of one a RuntimeError"""
    return x.kthvalue(2, 0).values


@case(inputs=[(noise(5, 3), k) for k in (2, 5, 1, 0, 6)], messages=False)
def smallest_by_number(x, k):
    """kthvalue by a number of run time"""
    return x.kthvalue(k, 0)[0], torch.kthvalue(x, k, dim=0, keepdim=True).values


WEIGHTS = [
    (torch.tensor([0, 1, 1, 3]), torch.tensor([1.0, 2.0, 3.0, NAN])),
    (torch.tensor([0, 0, 0, 5]), torch.tensor([INF, 2.0, -INF, 1.0])),
    (torch.tensor([0, -1, 1, 1]), torch.tensor([0.0, 1.0, 1.0, 1.0])),
]


@case(inputs=WEIGHTS, messages=False)
def weighed_counts(x, weights):
    """bincount with weights, which may be infinite, of other types"""
    each = torch.bincount(x, weights=weights, minlength=4)
    return each, x.bincount(weights.double()), x.bincount(weights.isnan().long())


@case(inputs=[(row, n) for (row,) in ROWS[:4] for n in (4, 0, 9)], dynamic_shapes={**ANY, "n": None})
def so_many_places(x, n):
    """nonzero_static"""
    found = torch.nonzero_static(x > 1, size=n)
    return found, x.unsqueeze(0).nonzero_static(size=3, fill_value=-7)


SPECIAL = torch.tensor([1.0, NAN, INF, -INF, 0.0, -0.0, NAN, 3.0])
OTHERS = torch.tensor([NAN, 2.0, 1.0, INF, -0.0, 0.0, NAN, -4.0])


@case(inputs=[(SPECIAL, OTHERS), (OTHERS, SPECIAL), (OTHERS, OTHERS), (SPECIAL * 1e30, OTHERS)])
def of_two(x, y):
    """fmax and fmin leave NaN out; hypot is infinite where one is; copysign asks zeros"""
    return torch.fmax(x, y), torch.fmin(x, y.double()), torch.hypot(x, y), x.copysign(y)


INTEGERS = torch.tensor([12, 18, 0, -4, 5, 0, 7, 2**40])
DIVISORS = torch.tensor([8, 12, 5, 6, 0, 0, -21, 2**35 * 3])


@case(inputs=[(INTEGERS, DIVISORS), (DIVISORS, INTEGERS)])
def divisors(x, y):
    """gcd and lcm of integers, of smaller ones too"""
    short = torch.gcd(x.short(), y.short()), torch.lcm(x.int() % 99, y.int() % 99)
    return torch.gcd(x, y), torch.lcm(x, y), *short, torch.fmax(x, y), torch.fmin(x.char(), y)
