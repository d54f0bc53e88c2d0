"""Which elements are among others, of which there are as many as a mask chooses."""

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

NAN = torch.tensor([[1.0, float("nan"), -1.0], [2.0, 2.0, float("inf")]])
FIVE = [(MIXED,), (POSITIVE,), (NEGATIVE,), (ZERO,), (NAN,)]


@case(inputs=FIVE)
def among_chosen(x):
    """Among what a mask chooses, which may be nothing"""
    inverted = torch.isin(x, x[x > 0], invert=True)
    return torch.isin(x, x[x > 0]), inverted, torch.isin(x[x > 0], x[x > 1])


@case(inputs=FIVE)
def chosen_among(x):
    """What a mask chooses, among numbers that are known, and one number"""
    chosen = x[x.abs() < 9].long()
    known = torch.tensor([[1, 2], [0, -1]])
    return torch.isin(chosen, known), torch.isin(chosen, 1), torch.isin(known, chosen)


@case(inputs=FIVE)
def of_two_types(x):
    """Integers among floats, and the other way round"""
    return torch.isin(torch.arange(4), x[x > 0]), torch.isin(x[x > 0], torch.arange(4))
