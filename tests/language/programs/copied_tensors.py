"""Tensors and arrays in deep copies: one object stays one, and memory that is shared stays so."""

import copy

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH)
def kept_one(x):
    """copy.deepcopy of a tensor that is held twice gives one tensor"""
    doubled = x * 2
    held = {"one": doubled, "list": [doubled], "tuple": (doubled, x)}
    copied = copy.deepcopy(held)
    if x.sum() > 0:
        copied["one"].mul_(3)
    copied["list"][0].sub_(1)
    return copied, held, copied["one"] is copied["list"][0]


class _Masked(nn.Module):
    """A layer that writes into a copy of what it is given."""

    def __init__(self, size):
        super().__init__()
        self.linear = nn.Linear(size, size)

    def forward(self, x, mask):
        """Compute what is not masked."""
        early = copy.deepcopy(mask)
        early[:, 1:] = 0
        return self.linear(x) * early + x * mask


@case(inputs=BOTH)
class CopiedInLayers(nn.Module):
    """copy.deepcopy in layers of a model, which are called as they are where they only compute"""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([_Masked(POSITIVE.shape[-1]) for _ in range(2)])

    def forward(self, x):
        """Run the layers one after the other."""
        mask = (x > 0).float()
        for layer in self.layers:
            x = layer(x, mask)
        return x, mask


@case(inputs=BOTH)
def kept_one_array(x):
    """copy.deepcopy of an array that is held twice gives one array"""
    array = x.numpy() * 2
    copied = copy.deepcopy([array, array])
    copied[0][0] = 9
    return copied[1] + 0, array


@case(inputs=BOTH)
def read_views(x):
    """copies of a tensor and its views, which are read"""
    rows = torch.stack([x, x + 1])
    whole, row, column = copy.deepcopy([rows, rows[1], rows[:, 0, 1]])
    rows.add_(1)
    return whole, row, column, rows


@case(inputs=BOTH, refused="DYCL035")
def written_views(x):
    """a copy is written where the copy of a view of it is alive"""
    doubled = x * 2
    copied = copy.deepcopy([doubled, doubled[:1]])
    copied[0].add_(1)  # <- refused
    return copied


@case(inputs=BOTH, refused="DYCL042")
def asked_by_hand(x):
    """A tensor's own method of copy.deepcopy is refused: without content it copies memory amiss"""
    return x.__deepcopy__({}) * 2  # <- refused


@case(inputs=BOTH, refused="DYCL059")
def expanded(x):
    """copy.deepcopy of an expanded tensor, whose copy is one, too"""
    return copy.deepcopy([x.expand(2, *x.shape)])[0]  # <- refused


@case(inputs=BOTH, refused="DYCL059")
def columns_in_memory_of_rows(x):
    """copy.deepcopy of a part whose rows do not lie one after the other: its copy's neither"""
    return copy.deepcopy([x[:, :2]])[0].is_contiguous(), x  # <- refused
