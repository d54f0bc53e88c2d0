"""Writes that read views of what they write: what PyTorch gives where it does not raise."""

import torch

from tests.language.harness import case

SQUARE = torch.arange(16.0).reshape(4, 4)
BOTH = [(SQUARE - 100,), (SQUARE + 100,)]
WIDE = torch.arange(80.0).reshape(4, 20)
WIDES = [(WIDE - 100,), (WIDE + 100,)]


@case(inputs=BOTH, refused="DYCL035")
def a_row_by_a_column(x):
    """A row is written by a column that crosses it: PyTorch reads an element it has written."""
    y = x * 2
    if x.sum() > 0:
        y[2] = y[:, 1]  # <- refused
    return y


@case(inputs=BOTH)
def the_first_row_by_a_column(x):
    """Where the element that both have is the first one, it is written by itself."""
    y = x * 2
    if x.sum() > 0:
        y[0] = y[:, 0]
    return y


@case(inputs=WIDES)
def moved_to_the_left(x):
    """Columns moved to the left are read before they are written"""
    y = x * 2
    if x.sum() > 0:
        y[:, :-1] = y[:, 1:]
        y[:, -1] = x[:, 0]
    return y


@case(inputs=WIDES, refused="DYCL035")
def moved_to_the_right(x):
    """Columns moved to the right are read after they were written, some of them."""
    y = x * 2
    if x.sum() > 0:
        y[:, 1:] = y[:, :-1]  # <- refused
    return y


@case(inputs=WIDES)
def moved_by_a_copy(x):
    """A copy is read as it was"""
    y = x * 2
    if x.sum() > 0:
        y[:, 1:] = y[:, :-1].clone()
    return y


@case(inputs=BOTH, refused="DYCL035")
def turned_in_place(x):
    """A part turned into itself."""
    y = x * 2
    if x.sum() > 0:
        y[:2, :2] += y[:2, :2].t()  # <- refused
    return y


@case(inputs=BOTH, refused="DYCL035")
def less_the_first_column(x):
    """The first column is zero before the others are written."""
    y = x * 2
    y.sub_(y[:, :1])  # <- refused
    return y


@case(inputs=BOTH)
def parts_beside_each_other(x):
    """Views that share no element, and what they are read by, are written as they are"""
    y = x * 2
    y[0] = y[1]
    y[:, 1] = y[:, 2]
    y[1:] += y[:1]
    y[2, :2] = y[2, 2:]
    y[:, 0].mul_(y[:, 1]).add_(y[:, 2])
    y[:, [0, 1]] = y[:, [1, 0]]
    y.mul_(y)
    return y


MASKS = [(torch.tensor([[1.0, -1, -1, 1, -1, -1], [-1, -1, 1, -1, -1, -1]]) * sign,) for sign in (1, -1)]


@case(inputs=MASKS, refused="DYCL035")
def marks_spread_in_place(x):
    """Marks that spread to the right read marks that were just set."""
    marks = x > 0
    if x[0, 0] > 0:
        marks[:, 1:] |= marks[:, :-1]  # <- refused
    return marks


@case(inputs=MASKS)
def marks_of_themselves(x):
    """What is read at the place where it is written is as it was"""
    marks = x > 0
    marks |= marks
    marks &= marks[:]
    return marks.logical_xor_(marks) if x[0, 0] > 0 else marks


@case(inputs=MASKS, refused="DYCL035")
def scattered_into_itself(x):
    """What a mask takes one after the other are elements that may have been written."""
    y = x * 2
    y.masked_scatter_(x > 0, y)  # <- refused
    return y


@case(inputs=BOTH, refused="DYCL035")
def summed_into_itself(x):
    """An out= that lies over what is read is written element by element, too."""
    y = x * 2
    if x.sum() > 0:
        torch.cumsum(y[:, :3], 1, out=y[:, 1:])  # <- refused
    return y
