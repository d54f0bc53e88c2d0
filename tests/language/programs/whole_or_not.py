"""Numbers that are an integer on one path and a float on another: ``max(1, x.sum().item())``."""

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

SIGNS = [(POSITIVE,), (NEGATIVE,), (MIXED,), (ZERO,)]


@case(inputs=SIGNS)
def with_floats(x):
    """To a tensor of floats both are the same operand."""
    count = max(1, x.sum().item())
    scaled = x.clone()
    scaled[0] = count
    return x.sum() / (3 * count), x * min(2, count), count + x, scaled, x.clamp(max=1.0) ** count


@case(inputs=SIGNS, refused="DYCL030")
def with_integers(x):
    """A tensor of integers stays one, or becomes one of floats."""
    return torch.arange(3) * max(1, x.sum().item())  # <- refused


@case(inputs=SIGNS)
def as_a_bound(x):
    """A range takes the one, and raises a TypeError for the other."""
    return [x * i for i in range(max(1, x.sum().item()))]


@case(inputs=SIGNS, refused="DYCL063")
def as_a_bound_in_a_try(x):
    """The error of a range, and that of a slice, may be caught."""
    count = max(1, x.sum().item())
    try:
        return [x * i for i in range(count)]  # <- refused
    except TypeError:
        return [x[:3]]


PLACES = [(MIXED, torch.tensor(n)) for n in ([1, 3], [0, 2], [-2, 1], [2, 9], [5, 0])]


@case(inputs=PLACES)
def numbers_of_arrays(x, places):
    """An element of an array is an integer of numpy's, the bound it is compared with is not."""
    first, last = places.numpy()
    begin, end = max(0, first), min(last, len(x))
    total = x[begin:end].sum()
    for i in range(begin, end):
        total = total * 2 + i
    return total, x.numpy()[begin:end] * 2
