"""Sorting by keys that are tensors: PyTorch compares them, in one dtype."""

import torch

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH)
def by_one_dtype(x):
    """Tensors of one dtype compare as their numbers do."""
    return sorted([0, 1, 2], key=lambda i: x[0, i] * (1 - i)), sorted([x[0, 0], x[1, 1]])


@case(inputs=BOTH)
def by_whole_numbers(x):
    """So do tensors of int64 among Python's integers."""
    return sorted(["a", "b"], key=lambda name: x.long().sum() if name == "a" else 1)


@case(inputs=[(torch.tensor([0.1]),), (torch.tensor([0.2]),)], refused="DYCL052")
def among_numbers(x):
    """A float32 of 0.1 is not above 0.1: the number becomes a float32, too."""
    return sorted([0, 1], key=lambda i: (x[0], 0.1)[i])  # <- refused


@case(inputs=BOTH, refused="DYCL052", slow=True)
def by_several_dtypes(x):
    """Tensors of two dtypes are compared in a third."""
    return sorted([0, 1], key=lambda i: (x[0, 0].half(), x[0, 0])[i])  # <- refused


@case(inputs=BOTH)
def by_more_than_one_number(x):
    """A comparison of several numbers is neither true nor false."""
    rows = [x[0], x[1]]
    try:
        rows.sort()
    except RuntimeError:
        return rows
    return x  # never
