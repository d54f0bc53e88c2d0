"""Sizes of run time that a test tells: in its arm they are numbers."""

import torch
from torch import nn

from tests.language.harness import case

X = torch.arange(24.0).reshape(8, 3) / 8 - 1
ROWS = [(X, torch.tensor(n)) for n in (5, 1, 3, 0, 8)]


@case(inputs=ROWS, messages=False)
def added(x, n):
    """A sum with five rows takes five, or one that is repeated; others are an error."""
    y = x[: int(n)] * 2
    return (y + torch.ones(5, 3)).view(5, 1, 3).sum(1)


@case(inputs=ROWS, messages=False)
def of_the_last(x, n):
    """The last few of a run-time size are as many as an operation takes, or one that is repeated."""
    last = x[: int(n)][-3:]
    return last * torch.eye(3), last.argmin() if 2 == last.shape[0] + 1 else None


@case(inputs=ROWS)
def tested(x, n):
    """A test of the program's own."""
    y = x[: int(n)]
    if len(y) == 5:
        return y.reshape(3, 5) @ torch.ones(5, 2)
    if y.size(0) * 2 + 1 == 7:
        return y @ torch.eye(3)
    return y.sum(0)


@case(inputs=[*ROWS, (-X, torch.tensor(3))])
def tested_early(x, n):
    """What the test tells holds behind branches and joins in the arm, not after it."""
    y = x[: int(n)]
    if y.shape[0] == 3:
        z = y.view(9) if x[0, 0] < y.sum() else y.reshape(9) * 2
        y = z.view(3, 3).t()
    else:
        y = y * 3
    return y + 1


@case(inputs=[(X, torch.tensor(s)) for s in (0, 3, 6, 7, -2)], messages=False)
class FromAPosition(nn.Module):
    """Rows from a position of run time, as many as are wanted."""

    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.arange(16.0).reshape(8, 2))

    def forward(self, x, start):
        first = int(start)
        rows = self.table[first : first + 2].view(1, 2, 1, 2)
        return x[:2, :2].view(1, 2, 1, 2) * rows


@case(inputs=ROWS, messages=False)
def written_into_a_row(x, n):
    """What is left over where a size is not the row's: one element for the whole row."""
    rows = torch.zeros(2, 5)
    rows[0] = x[: int(n), 0]
    return rows


@case(inputs=ROWS, messages=False)
def expanded(x, n):
    """One row or five, and an error for any other number."""
    return x[: int(n)].expand(5, 3) + 1


@case(inputs=[(X, torch.tensor(s)) for s in (0, 3, 6, 7, 8, -2, -8)], messages=False)
def windows_written(x, start):
    """Windows from places of run time: too far to the right there is less than a window."""
    found = torch.zeros(2, 4)
    for i in range(2):
        begin = start - i
        found[i] = x[begin : begin + 4, i]
    return found


FIRSTS = [[1.0, 1, 1, 1], [2.0, 3, -1, -1], [2.0, -1, 1, 1], [2.0, -1, -1, -1], [-1.0, -1, -1, -1]]
OF_FOUR = [(torch.tensor(column)[:, None].expand(4, 3).clone(),) for column in FIRSTS]


@case(inputs=OF_FOUR, messages=False)
def shared_out(x):
    """A quotient of a sum of sizes: no number has either, but a tensor has that many columns."""
    chosen = torch.cat([x[x[:, 0] > 0], x[x[:, 0] > 1]])
    return chosen.view(2, -1).view(2, 6)


@case(inputs=[(X, torch.tensor(n)) for n in (2, 3, 6, 8)])
def in_a_loop(x, n):
    """Each iteration tests a size of its own."""
    total = torch.zeros(2)
    end = int(n)
    while end > 0:
        y = x[:end]
        if len(y) == 2:
            total = total + y.view(6)[:2]
        elif len(y) == 3:
            total = total * y.view(3, 3).trace()
        end = end - int(y.shape[0] > 4) - 1
    return total


@case(inputs=[(X, torch.tensor(a), torch.tensor(b)) for a, b in ((2, 3), (4, 4), (5, 3), (2, 2))])
def one_of_two(x, a, b):
    """One of two sizes is tested: the other stays open."""
    y, z = x[: int(a)], x[: int(b)]
    if len(y) == 2:
        return torch.cat([y.view(2, 3), z]).sum(0), y.view(3, 2)
    return torch.cat([y, z]).sum(0), z.t()


@case(
    inputs=[(torch.tensor(rows), torch.tensor(a)) for rows, a in (
        ([1.0, 2, -1], 2), ([1.0, -1, -1], 3), ([1.0, -1, -1], 0), ([1.0, 2, 3], 2), ([-1.0, -2, -1], 0),
        ([1.0, 2, 3], 9))],
    messages=False,
)
def this_or_that(x, n):
    """Rows that fit or are repeated: where they are not one, they fit."""
    kept = x[x > 0]
    y = torch.zeros(4)
    y[: int(n)] = kept
    return y


def both_ends(x):
    """Return what is far from 0, in two parts one after the other."""
    return torch.cat([part[part.argsort()] for part in (x[x > 1], x[x < -1])])


@case(inputs=[(torch.tensor(rows),) for rows in (
    [3.0, -2, 2, 0], [0.0, 0, 0, 0], [2.0, 0, 0, 0], [0.0, -3, -2, -4])])
def sum_of_sizes(x):
    """A sum of sizes that no tensor has by themselves is the size of the tensor that has it."""
    y = both_ends(x)
    if y.numel() == 0:
        return x
    if 2 * y.shape[0] + 1 == 3:
        return y * 2
    return y.flip(0)
