"""Sizes divided as floats and rounded: padding to multiples, halves, windows.

What a size divided by a number is rounded to is known as an expression over sizes, and whether the
quotient is an integer as a test of the rest.
"""

import math

import torch
from torch.export import Dim
from torch.nn import functional as F

from tests.language.harness import case

_N = Dim("n", min=1, max=40)
_OPEN = Dim("n")
_DYNAMIC = {"x": {0: _N}}


def _x(n: int) -> torch.Tensor:
    return torch.arange(2.0 * n).reshape(n, 2)  # at import


_LENGTHS = [(_x(n),) for n in (6, 8, 1, 4, 5, 12)]


def _padded(tensor, multiple, dim=-1, value=0.0):
    size = tensor.shape[dim]
    m = size / multiple
    if m.is_integer():
        return False, tensor
    remainder = math.ceil(m) * multiple - size
    offset = (0,) * (-1 - dim) * 2
    return True, F.pad(tensor, (*offset, 0, remainder), value=value)


@case(inputs=_LENGTHS, dynamic_shapes=_DYNAMIC)
def padded_to_a_multiple(x):
    """A length is padded where it is no multiple."""
    added, y = _padded(x, 4, dim=-2)
    windows = y.reshape(-1, 4, 2)
    return windows.amax(1), added


@case(inputs=[(x, x + 1) for (x,) in _LENGTHS], dynamic_shapes={"x": {0: _OPEN}, "y": {0: _OPEN}})
def two_of_one_size_are_padded_alike(x, y):
    """What was asked of a size is known of another of the same."""
    first, x = _padded(x, 4, dim=-2)
    second, y = _padded(y, 4, dim=-2)
    if first != second:  # known
        return x  # never
    n = x.shape[0] // 4
    return (x.reshape(n, 4, 2) * y.reshape(n, 4, 2)).sum(-1)


@case(inputs=_LENGTHS, dynamic_shapes=_DYNAMIC)
def halves_by_int(x):
    """``int`` of a quotient that is not negative."""
    half = int(x.shape[0] / 2)
    return x[:half].sum(), x[half:].sum(), half


@case(inputs=_LENGTHS, dynamic_shapes=_DYNAMIC)
def int_of_a_quotient_is_whole_division(x):
    """Where it is not negative: else it goes towards zero."""
    n = x.shape[0]
    half = int(n / 2)
    if half != n // 2 or half != math.trunc(n / 2):  # known
        return x  # never
    if int((n - 7) / 2) != (n - 7) // 2:
        return x[:half] * 2
    return x.view(half, 2, 2).sum(1) if half * 2 == n else x[half:]


@case(inputs=_LENGTHS, dynamic_shapes={"x": {0: _OPEN}})
def floors_and_ceilings(x):
    """Both of one quotient, compared."""
    n = x.shape[0]
    low, high = math.floor(n / 3), math.ceil(n / 3)
    if low == high:
        return x.view(3, -1)
    if high - low != 1:  # known
        return x  # never
    return torch.cat([x, x.new_zeros(high * 3 - n, 2)]).view(3, high * 2)


@case(inputs=_LENGTHS, dynamic_shapes=_DYNAMIC)
def negative_quotients_are_rounded_to_their_side(x):
    """``int`` and ``trunc`` go towards zero."""
    n = x.shape[0] - 7
    return x, int(n / 2), math.trunc(n / 2), math.floor(n / 2), math.ceil(n / 2)


@case(inputs=_LENGTHS, dynamic_shapes=_DYNAMIC)
def tests_of_rest_and_quotient_are_one(x):
    """A rest that is nothing, and a quotient that is an integer."""
    n = x.shape[0]
    if n % 4 == 0 and not (n / 4).is_integer():
        return x  # never
    if (n / 4).is_integer() and n // 4 * 4 != n:  # known
        return -x  # never
    if (n / 4).is_integer():
        return x.reshape(n // 4, 4, 2).sum(1)
    return x + 1


@case(inputs=_LENGTHS, dynamic_shapes=_DYNAMIC)
def a_multiple_is_asked_for_by_its_rest(x):
    """Of a sum, by truth."""
    n = x.shape[0]
    if (n + 1) % 3:
        return x[:1]
    x = torch.cat([x, x[:1]])
    return x.reshape((n + 1) // 3, 3, 2).sum(1)


@case(inputs=[
    (torch.tensor(6), torch.ones(2)), (torch.tensor(8), torch.ones(2)),
    (torch.tensor(-3), torch.ones(2)),
    (torch.tensor(2**62 + 1), torch.ones(2)), (torch.tensor(-(2**62)), torch.ones(2)),
])
def numbers_of_any_amount_are_rounded_as_floats(n, x):
    """Those read from tensors may be more than a float tells apart."""
    m = n.item()
    if (m / 4).is_integer():
        return x, m % 4 == 0, math.ceil(m / 4) * 4 - m
    return -x, int(m / 4), math.floor(m / 4), m % 4


@case(inputs=_LENGTHS, dynamic_shapes=_DYNAMIC)
def products_may_be_larger_than_floats_tell_apart(x):
    """As products of sizes may."""
    n = x.shape[0] * 2**58 + 1
    return x, (n / 4).is_integer(), math.floor(n / 3), n % 4


@case(inputs=_LENGTHS, dynamic_shapes=_DYNAMIC)
def quotients_in_loops(x):
    """Halved as long as that goes."""
    n, steps = x.shape[0], 0
    while (n / 2).is_integer():
        n = int(n / 2)
        steps += 1
    return x * steps, n


@case(inputs=[(x, torch.tensor(d)) for (x,) in _LENGTHS for d in (2, 3)], dynamic_shapes=_DYNAMIC)
def divisors_of_the_call(x, d):
    """What divides is read from a tensor."""
    by = d.item()
    m = x.shape[0] / by
    return x[: math.floor(m)], m.is_integer(), math.ceil(m)


def _parted(x, n):
    """Check as einops does: what is left for one axis beside others."""
    try:
        if x.shape[0] % n:
            raise ValueError(f"{x.shape[0]} rows for {n}")
        return x.reshape(n, x.shape[0] // n, 2)
    except ValueError as error:
        raise RuntimeError(f"rows do not fit: {error}") from None


@case(
    inputs=[(x, torch.ones(n)) for (x,), n in zip(_LENGTHS, (3, 2, 1, 4, 2, 5), strict=True)],
    dynamic_shapes={"x": {0: _N}, "y": {0: Dim("m", min=1, max=9)}},
)
def sizes_divided_by_sizes(x, y):
    """Sizes that are at least 1 divide others without an error."""
    parts = _parted(x, y.shape[0])
    return parts.sum(0), x.shape[0] // y.shape[0]


@case(
    inputs=[(x, torch.ones(n)) for (x,), n in zip(_LENGTHS, (3, 0, 1, 4, 2, 0), strict=True)],
    dynamic_shapes={"x": {0: _N}, "y": {0: Dim("m", min=0, max=9)}},
)
def sizes_divided_by_what_may_be_nothing(x, y):
    """That is Python's error, which the program may catch."""
    try:
        return x[: x.shape[0] // y.shape[0]], x.shape[0] % y.shape[0]
    except ZeroDivisionError:
        return x, -1


@case(inputs=_LENGTHS, dynamic_shapes=_DYNAMIC)
def what_a_multiple_is_divided_by_is_known(x):
    """So are sizes that are computed from it: four in each part, however many parts there are."""
    n = x.shape[0]
    if n % 4:
        return x
    parts = n // 4
    each = n // parts
    return x.reshape(parts, each, 2).amax(1), each, n % parts


@case(inputs=_LENGTHS, dynamic_shapes=_DYNAMIC)
def floats_of_large_products_leave_out_integers(x):
    """Beyond 2 ** 53 the float of a quotient may be smaller than the quotient."""
    n = x.shape[0] * 2**50 + 1
    if math.ceil(n / 4) * 4 < n:
        return x
    return -x


@case(inputs=_LENGTHS, dynamic_shapes=_DYNAMIC)
def truncated_below_nothing(x):
    """What is truncated may be more than the quotient, if that is negative."""
    n = x.shape[0] - 7
    if math.trunc(n / 2) * 2 > n:
        return x
    return -x
