"""`in` between tensors: one object is found first, then what is equal, in order"""

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

PAIR = [(POSITIVE, MIXED), (NEGATIVE, POSITIVE)]


@case(inputs=PAIR)
def the_object_itself(x, y):
    """A tensor of many elements is found where the object itself comes first"""
    z = x + y
    return z in [z, x + 1], z in (z,), z not in [z]


@case(inputs=PAIR, messages=False)
def ambiguous(x, y):
    """Another tensor of many elements that comes first: its truth is ambiguous"""
    z = x + y
    if x.sum() > 0:
        return z in [x * 2, z]
    return z


@case(inputs=[(torch.tensor(2.0),), (torch.tensor(3.0),), (torch.tensor(-1.0),)])
def equal_numbers(x):
    """Tensors of one element are compared by value, with numbers too"""
    doubled = x * 2
    return doubled in [x + 2, x * 3], x in [1, 2, 3], 3 in [x, doubled], x not in (doubled, 2.0)


@case(inputs=[(POSITIVE, 2.5), (NEGATIVE, 2.5), (ZERO, 0.0)])
def in_a_tensor(x, number):
    """`in` of a tensor asks whether any element is equal"""
    return number in x, 1.0 in x, (x[0, 0] * 1) in x, number not in x + 1
