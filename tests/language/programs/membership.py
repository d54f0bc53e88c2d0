"""Which elements are among others, of which there are as many as a mask chooses."""

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

NAN = torch.tensor([[1.0, float("nan"), -1.0], [2.0, 2.0, float("inf")]])
FIVE = [(MIXED,), (POSITIVE,), (NEGATIVE,), (ZERO,), (NAN,)]


@case(inputs=FIVE, slow=True)
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


@case(inputs=[(torch.ones(2), 1), (torch.ones(2), 3)])
def of_containers_and_others(x, n: int):
    """A list, tuple or dict equals no number and no text, whatever it holds"""
    items = ([x, 1], "text", 3, {"k": n}, (n,), n)
    found = [item == "text" or item == 3 for item in items]
    return found, [n] != n, {"k": x} == 2.5, 3 in [(n,), n]
