"""Functions that PyTorch does not trace for ``cond`` and ``while_loop``: it raises whichever way."""

import torch

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


def _doubled(x):
    return x * 2  # never


@case(inputs=BOTH, refused="DYCL044")
def of_another_type(x):
    """A branch of torch.cond gives double precision"""
    return torch.cond(x.sum() > 0, lambda a: a.double(), _doubled, (x,))  # <- refused


@case(inputs=BOTH, refused="DYCL044")
def of_another_rank(x):
    """A branch of torch.cond gives a number"""
    return torch.cond(x.sum() > 0, lambda a: a.sum(), _doubled, (x,))  # <- refused


@case(inputs=BOTH, refused="DYCL044")
def given_back(x):
    """A branch of torch.cond gives a tensor that it closes over"""
    y = x * 3
    return torch.cond(x.sum() > 0, lambda a: y, _doubled, (x,))  # <- refused


@case(inputs=BOTH, refused="DYCL044")
def given_twice(x):
    """A branch of torch.cond gives one tensor twice"""

    def twice(a):
        b = a * 2  # never
        return b, b  # never

    return torch.cond(x.sum() > 0, twice, lambda a: (a * 2, a * 3), (x,))  # <- refused


@case(inputs=BOTH, refused="DYCL044")
def written(x):
    """A branch of torch.cond writes to its operand"""
    y = x.clone()

    def write(a):
        a.add_(1)  # never
        return a.clone()  # never

    return torch.cond(x.sum() > 0, write, _doubled, (y,))  # <- refused


@case(inputs=BOTH)
def closed_over(x):
    """Branches of torch.cond that give new tensors of a size each, in another torch.cond"""
    y = x * 3

    def inner(a):
        return torch.cond(a.max() > 3, lambda b: b[:1] + y.sum(), lambda b: b * y, (a,))  # never

    return torch.cond(x.sum() > 0, inner, _doubled, (x,))


@case(inputs=BOTH, refused="DYCL044")
def carried_as_another_type(x):
    """The body of torch.while_loop gives double precision"""
    start = (x.abs(),)
    return torch.while_loop(lambda a: a.sum() < 9, lambda a: (a.double() + 1,), start)  # <- refused


@case(inputs=BOTH, refused="DYCL044")
def carried_along(x):
    """The body of torch.while_loop gives what it takes"""
    start = (x.abs(), x + 1)
    return torch.while_loop(lambda a, b: a.sum() < 9, lambda a, b: (a + 1, b), start)  # <- refused
