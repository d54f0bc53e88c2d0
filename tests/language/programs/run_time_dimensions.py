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


CUBE = torch.arange(24.0).reshape(2, 3, 4)
OF_CUBE = [(CUBE, n) for n in (0, 1, -1, -2, -3, 3)]


@case(inputs=OF_CUBE, messages=False)
def named_as_numpy_does(x, axis):
    """`axis` is `dim`; `swapaxes` and `movedim` have names of their own."""
    return (
        x.sum(axis=axis),
        torch.concatenate([x, x], axis=axis),
        x.movedim(axis, 0).swapaxes(2, axis),
    )


@case(inputs=OF_CUBE, messages=False)
def several_at_once(x, dim):
    """One of several dimensions, given as a tuple, a list or one by one."""
    return torch.flip(x, [dim]), x.amax((dim,)), torch.roll(x, (1, 2), (dim, 1)), x.tile(dim + 4, 1)


@case(inputs=OF_CUBE, messages=False)
def in_another_order(x, dim):
    """A permutation with one of run time, and a rotation, which needs two different ones."""
    try:
        return torch.rot90(x, 1, [dim, 1]), x.permute(dim, 1, 2)
    except RuntimeError:
        return x, torch.nn.functional.normalize(x, dim=dim)
