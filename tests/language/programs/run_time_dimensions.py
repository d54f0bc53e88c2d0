"""Dimensions known only at run time: an operation is compiled for each."""

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

EACH = [*((POSITIVE, n) for n in (0, 1, -1, -2, 2, -3)), (NEGATIVE, 1)]


@case(inputs=EACH, messages=False)
def summed(x, dim):
    """A sum over one of two dimensions; another is an error."""
    return torch.sum(x, dim)


@case(inputs=EACH, messages=False)
def normalised(x, dim):
    """The shape is the same for each: the ways meet again."""
    y = x.softmax(dim=dim) + torch.nn.functional.softmax(x, dim)
    return y * 2 if x.sum() > 0 else y


@case(inputs=EACH, messages=False)
def with_one_more(x, dim):
    """The dimension may be one of the result."""
    return torch.stack([x, x + 1], dim), x.unsqueeze(dim)


@case(inputs=EACH, messages=False)
def largest(x, dim):
    """A dimension and a truth, both of run time."""
    values, places = x.max(dim, keepdim=bool(x.sum() > 0))
    return values, places


@case(inputs=[(POSITIVE, 0), (NEGATIVE, 0), (POSITIVE, -1)], messages=False)
class Chosen(nn.Module):
    """A dimension that the content decides."""

    def forward(self, x, least):
        dim = 1 if x.sum() > 0 else least
        return torch.cat([x, x[:, :3]], dim).mean(dim)


@case(inputs=EACH, messages=False)
def beside_an_empty_one(x, dim):
    """Concatenation leaves out an empty tensor of one dimension."""
    return torch.cat([torch.empty(0), x, x], dim)
