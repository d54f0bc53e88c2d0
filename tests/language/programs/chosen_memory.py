"""Tensors that paths have chosen, and that are written then: paths stay apart by their memory."""

import torch
from torch import nn

from tests.language.harness import case

GRID = torch.arange(12.0).reshape(4, 3) - 4
GRIDS = [(GRID,), (-GRID,), (torch.eye(4)[:, :3] * 2,), (torch.zeros(4, 3),)]


@case(inputs=GRIDS)
def view_of_one_or_a_copy(x):
    """A name that is a view on one path, and a tensor of its own on the other"""
    y = x * 2
    tail = y[1:]
    if x.sum() > 0:
        tail += 1
    else:
        tail = tail + 1
    tail *= 2
    return y, tail


@case(inputs=GRIDS)
def tensor_made_anew(x):
    """A view of a tensor whose name is another one's on one path"""
    y = x * 2
    row = y[0]
    if x.sum() > 0:
        y = y + 1
    row += 10
    return y, row


@case(inputs=GRIDS)
def rows_that_trade_places(x):
    """Which of the rows is written is known on each path"""
    rows = [row.clone() for row in x]
    for i in range(3):
        if rows[i][0] > rows[i + 1][0]:
            rows[i], rows[i + 1] = rows[i + 1], rows[i]
    rows[0][0] = 99.0
    return rows


@case(inputs=GRIDS)
def best_of_several(x):
    """The best one is written"""
    rows = [x[i] * 1 for i in range(4)]
    best = max(rows, key=lambda row: row.sum().item())
    best.add_(100)
    return rows, best


@case(inputs=GRIDS)
def row_by_a_test(x):
    """Two rows of run time, one of which is written, with a view of it"""
    y = x * 2
    i, j = int(x[:, 0].argmax()), int(x[:, 1].argmin())
    row = y[i] if x.sum() > 0 else y[j]
    row += 1
    row[1:].mul_(3)
    return y


@case(inputs=GRIDS)
def argument_or_not(x):
    """The caller's tensor on one path only"""
    y = x if x.sum() > 0 else x * 2
    y += 1
    return y * 2


@case(inputs=GRIDS)
def through_attributes_and_dicts(x):
    """Objects and dicts hold what was chosen"""
    table = {"a": x[0] * 1, "b": x[1] * 1}
    name = "a"
    if x[2, 0] > 0:
        table["b"] = table["a"]
    table[name] += 1
    table["b"] -= x[2]
    return list(table.values())


@case(inputs=[(torch.arange(8.0).roll(k),) for k in (0, 1, 3, 4)], refused="DYCL035")
def too_many_ways(x):
    """So many rows may stand anywhere that paths meet after all"""
    rows = [x[i : i + 2].clone() for i in range(7)]
    for i in range(6):
        if rows[i].sum() > rows[i + 1].sum():
            rows[i], rows[i + 1] = rows[i + 1], rows[i]
    rows[0][0] = 99.0  # <- refused
    return rows


@case(inputs=GRIDS, refused="DYCL034")
class KeptAndGivenBack(nn.Module):
    """What calls keep and callers have: paths of one call do not tell"""

    def __init__(self):
        super().__init__()
        self.sums = [torch.zeros(4, 3), torch.zeros(4, 3)]

    def forward(self, x):
        one = self.sums[0] if x.sum() > 0 else self.sums[1]
        one.add_(x)  # <- refused
        return one
