"""Numbers that are an integer on one path and a float on another: ``max(1, x.sum().item())``."""

import math

import numpy
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


@case(inputs=SIGNS)
def with_integers(x):
    """A tensor of integers stays one, or becomes one of floats."""
    return torch.arange(3) * max(1, x.sum().item())


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


def positive(x):
    """Return a list of numbers above 0, and a whole one for those below -1."""
    found = []
    for number in x.flatten().tolist():
        if number > 0:
            found.append(number)
        elif number < -1:
            found.append(1)
    return found


@case(inputs=SIGNS, slow=True)
def lists_become_tensors_and_arrays(x):
    """A list of such numbers, and rows of them: the tensor and the array are of floats, or not."""
    found = positive(x)
    rows = [(i, number) for i, number in enumerate(found)]
    made = torch.tensor(found), torch.tensor(rows), torch.tensor(found, dtype=torch.float32)
    return made, numpy.array(found), numpy.array(rows)


@case(inputs=SIGNS)
def computed_on_the_host(x):
    """What Python and numpy compute of such numbers, and how they are written."""
    found = positive(x)
    if not found:
        return None
    first, last = found[0], found[-1]
    computed = first + last, first / last, -first, abs(first - last), round(last, 1), int(first)
    tests = first > last, first == 1, bool(last), math.sqrt(first), max(first, last)
    return computed, tests, sum(found), numpy.mean(found), f"{first} {last:.2f}", str(found)


@case(inputs=SIGNS)
def parts_of_what_is_known(x):
    """Such numbers beside others, in a list of known length, that becomes a tensor."""
    found = [*positive(x), 3]
    return torch.tensor([found[0], 2, found[-1]]), torch.tensor([found[0], 0.5]), x * found[0]


@case(inputs=SIGNS, refused="DYCL030")
def beside_numbers_of_numpy(x):
    """numpy's own numbers are of other types."""
    found = [*positive(x), numpy.float64(2)]
    return torch.tensor(found)  # <- refused
