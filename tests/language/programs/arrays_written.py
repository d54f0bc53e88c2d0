"""numpy arrays that are made in the call and written."""

import math

import numpy as np
import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


@case(inputs=ROWS)
def made_here(x):
    """The host makes an array that is written, and numpy writes it."""
    table = np.zeros(3)
    table[1] = 2.0
    if x.sum() > 0:
        table[0] = x.max().item()
    return x * torch.tensor(table).float(), table


@case(inputs=ROWS)
def of_a_tensor(x):
    """So is a copy of a tensor's elements; the tensor stays."""
    table = x.numpy().copy()
    table[0] = 1.0
    table[0, 1], table[1, 1] = table[1, 1], table[0, 1]
    return torch.from_numpy(table), x


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


@case(inputs=ROWS)
def written_by_methods_and_functions(x):
    """Methods and functions write, some into an array that they are given for the result."""
    table, other = np.array([3.0, 1.0, 2.0]), np.empty(3)
    if x.sum() > 0:
        table.sort()
    np.add(table, x[0].numpy(), out=other)
    np.copyto(table, other, where=other > 0)
    table.put([0], [x.min().item()])
    np.maximum(table, -1, table)
    table[table > 2] = 0
    return table, other, np.clip(other, 0, 1, out=other)[::-1]


@case(inputs=ROWS)
def seen_by_views(x):
    """What is written through one name is seen through its views, and not through copies."""
    table = np.zeros((2, 3))
    turned, row, flat, copied = table.T, table[0], table.reshape(-1), table.flatten()
    turned[1] = x.sum().item()
    row += 1
    flat[5] = 7
    copied[0] = 100
    np.ravel(table)[4] = 9
    np.asarray(table)[1, 0] = 3
    return table, turned, row.sum(), copied


@case(inputs=ROWS)
def one_of_two(x):
    """Which array is written is decided at run time."""
    one, other = np.arange(3.0), np.ones(3)
    chosen = one if x.sum() > 0 else other
    chosen += 1
    chosen[0] = x.max().item()
    return one, other, chosen


@case(inputs=ROWS)
def read_before_and_after(x):
    """A number that was read stays; a test asks anew."""
    table, found = np.zeros(1), 0
    before = table[0]
    if table:  # known
        found += 1  # never
    table[0] = float(x.sum() > 0)
    if table:
        found += 2
    table[0] = 0
    if table:  # known
        found += 4  # never
    return found, before


@case(inputs=ROWS)
def walked_while_written(x):
    """A walk reads an element when it comes to it; rows are views."""
    table, grid, seen = np.array([1.0, 2.0, 3.0]), np.zeros((2, 2)), []
    table[0] = x.sum().item()
    for place, value in enumerate(table):
        if value > 0 and place < 2:
            table[place + 1] = -value
        seen.append(value)
    for value in reversed(table):
        table[:] = 4
        seen.append(value)
    for place, row in enumerate(grid):
        row[place] = x.min().item()
    for value in table:
        table += 1
        seen.append(value)
    for row in grid:
        grid += 1
        row *= 2
    return seen, grid


@case(inputs=ROWS)
def held_by_containers(x):
    """Lists and dicts hold the array itself."""
    table = np.zeros(3)
    held, named = [table, table[1:]], {"table": table}
    held[0][1] = x.sum().item()
    held[1][1] = 4
    named["table"][0] += 1
    return held, named


@case(inputs=ROWS)
def written_in_a_loop(x):
    """A loop that ends at run time writes, through a function of the program."""

    def put(table, place, value):
        table[place] = value

    table, place = np.zeros((4, 2)), 0
    while place < 4 and x.sum() > place - 5:
        put(table, place, [place, x.max().item()])
        place += 1
    return table, torch.from_numpy(table).float() * 2


@case(inputs=ROWS)
def made_in_each_iteration(x):
    """A tensor lies over the array of an iteration, which the next one does not write."""
    total, step = torch.zeros(3), 0
    while step < x.sum():
        row = x[0].numpy().copy()
        row[0] += step
        total = total + torch.from_numpy(row)
        step += 1
    return total


@case(inputs=ROWS)
def bound_anew_in_a_loop(x):
    """So is an array that a loop binds anew, and makes larger."""
    table = np.zeros(0)
    while table.size < x.sum():
        table = np.append(table, x[0, 0].item())
    return table, len(table)


@case(inputs=ROWS)
class CopiedFromTheModel(nn.Module):
    """A copy of the model's array is one of the call's."""

    def __init__(self):
        super().__init__()
        self.base = np.arange(6.0).reshape(2, 3)

    def forward(self, x):
        row, all_rows = self.base[0].copy(), self.base + 0
        row[0] = x.sum().item()
        all_rows[1] *= 2
        return row, all_rows


@case(inputs=ROWS, refused="DYCL034")
class ViewOfTheModels(nn.Module):
    """A view of it is not."""

    def __init__(self):
        super().__init__()
        self.base = np.arange(6.0).reshape(2, 3)

    def forward(self, x):
        row = self.base[int(x[0, 0] > 0)]
        row[0] = 1  # <- refused
        return row.sum()  # never


@case(inputs=ROWS)
def of_known_numbers(x):
    """What numpy makes of numbers that are known has sizes that are known, also to be written."""
    table = np.arange(12).reshape(3, 4)
    table[np.where(x.numpy()[:3, 0] > 0)[0], 0] = -1
    return table.tolist()


@case(inputs=[(POSITIVE, 2), (NEGATIVE, 2), (NEGATIVE, 5), (POSITIVE, 5), (POSITIVE, 9)])
def nothing_is_no_number(x, n):
    """The label before is None at first: written into integers, alone or in a list, that raises"""
    last, total = None, 0
    for step in range(n):
        counts = np.zeros((1, 2), dtype=np.int32)
        if step > 5:
            counts[0, 0] = last
        elif step > 2:
            counts[0, :1] = [last]
        if x.sum() > 0:
            last = step
        total += counts.sum()
    return last, int(total)


@case(inputs=ROWS)
def of_python_or_of_numpy(x):
    """A number may be Python's or numpy's: what converts it takes any."""
    best = np.full((2, 3), -9.0, dtype=np.float32)
    for row in range(2):
        for place in range(3):
            stay = -9.0 if row == 0 else best[row - 1, place]
            step = 0.0 if place == 0 else best[row, place - 1]
            best[row, place] = max(stay, step) + x.numpy()[row, place]
    most = max(best[1, 2], 2.5)
    return best, math.exp(most / 9), math.isnan(most), best.argmax(0)


@case(inputs=ROWS)
def elements_changed_by_tensors(x):
    """An element of an array, changed in place by a tensor of one element, is what that makes"""
    counts = x.numpy().sum(0) * 2
    counts[0] += x[0, 0]
    counts[1] *= x.sum()
    return counts


@case(inputs=ROWS, refused="DYCL030")
def beside_tensors(x):
    """An array changed in place by a tensor raises in PyTorch, or is a tensor then: refused"""
    doubled = x.numpy() * 2
    doubled /= x  # <- refused
    return doubled


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def known_beside_tensors(x):
    """A known array that a tensor is added to in place raises"""
    table = np.arange(3.0)
    if x.sum() < 0:
        table += x[0]
    return table.tolist(), x * 2
