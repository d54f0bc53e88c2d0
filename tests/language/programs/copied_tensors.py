"""Tensors and arrays in deep copies: one object stays one, and memory that is shared stays so."""

import copy

import torch

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


@case(inputs=BOTH, refused="DYCL059")
def expanded(x):
    """copy.deepcopy of an expanded tensor, whose copy is one, too"""
    return copy.deepcopy([x.expand(2, *x.shape)])[0]  # <- refused


@case(inputs=BOTH, refused="DYCL059")
def columns_in_memory_of_rows(x):
    """copy.deepcopy of a part whose rows do not lie one after the other: its copy's neither"""
    return copy.deepcopy([x[:, :2]])[0].is_contiguous(), x  # <- refused
