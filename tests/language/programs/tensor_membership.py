"""`in` between tensors: one object is found first, then what is equal, in order"""

import itertools

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


@case(
    inputs=[
        (torch.tensor([[0.9, 0.1, 0.2], [0.8, 0.3, 0.1], [0.1, 0.2, 0.9], [0.1, 0.7, 0.2]]),),
        (torch.tensor([[0.1, 0.9, 0.2], [0.8, 0.3, 0.1], [0.7, 0.2, 0.1], [0.9, 0.7, 0.2]]),),
    ]
)
def runs_of_integers(x):
    """An integer of a tensor equals itself, so that it is not asked which object it is"""
    best = x.argmax(-1)
    runs = torch.stack([place for place, _ in itertools.groupby(best)])
    again = best[0] in (best[1], best[2])
    return runs, again, [best[0]] == [best[-1]], [best[1], best[2]] != [best[0], best[2]]
