"""numpy arrays that are made in the call and written."""

import numpy as np
import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


@case(inputs=ROWS, refused="DYCL056")
def made_here(x):
    """An array is known once and for all: elements of it are not written."""
    table = np.zeros(3)
    table[1] = 2.0  # <- refused
    return x * torch.from_numpy(table).float()  # never


@case(inputs=ROWS, refused="DYCL056")
def of_a_tensor(x):
    """The array of a tensor's elements."""
    table = x.numpy().copy()
    table[0] = 1.0  # <- refused
    return torch.from_numpy(table)  # never


@case(inputs=ROWS)
def made_of_a_list(x):
    """A list is written, and becomes an array afterwards."""
    table = [0.0] * 3
    for place in range(3):
        if x[0, place] > 0:
            table[place] = 1.0
    return x * torch.tensor(np.array(table, dtype=np.float32))


@case(inputs=ROWS, refused="DYCL034")
class Kept(nn.Module):
    """An array of the model outlives the call."""

    def __init__(self):
        super().__init__()
        self.table = np.zeros(3)

    def forward(self, x):
        self.table[0] += 1  # <- refused
        return x * float(self.table[0])  # never


@case(inputs=ROWS, refused="DYCL034")
class KeptAndFilled(nn.Module):
    """A method writes into it, on one path."""

    def __init__(self):
        super().__init__()
        self.table = np.arange(3.0)

    def forward(self, x):
        if x.sum() > 0:
            self.table[1:].fill(7)  # <- refused
        return x * torch.tensor(self.table).float()  # never


@case(inputs=ROWS, refused="DYCL034")
class KeptAsOutput(nn.Module):
    """A function's result is put into it."""

    def __init__(self):
        super().__init__()
        self.table = np.arange(3.0)

    def forward(self, x):
        if x.sum() > 0:
            np.add(self.table, 1, self.table)  # <- refused
        return x * torch.tensor(self.table).float()  # never


@case(inputs=ROWS, refused="DYCL034")
class KeptAndReshaped(nn.Module):
    """It gets another shape."""

    def __init__(self):
        super().__init__()
        self.table = np.arange(3.0)

    def forward(self, x):
        self.table.shape = (3, 1)  # <- refused
        return x * torch.tensor(self.table).float()  # never


@case(inputs=ROWS, refused="DYCL034")
def written_by_a_method(x):
    """A method writes into an array made here, on one path."""
    table = np.array([3.0, 1.0, 2.0])
    if x.sum() > 0:
        table.sort()  # <- refused
    return x * torch.tensor(table).float()  # never
