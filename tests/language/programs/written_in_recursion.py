"""Tensors of the caller that functions which call themselves write in place: tables, outputs, marks."""

import torch
from torch import nn

from tests.language.harness import case, noise

UP = torch.tensor([1.0, -2.0, 3.0])
DOWN = torch.tensor([-1.0, 2.0, -3.0])
DEPTHS = [(UP, 5), (DOWN, 7), (DOWN, 0), (UP * -1, 3)]
GRIDS = [
    (torch.tensor([[1, 1, 0, 1], [0, 1, 0, 0], [1, 1, 1, 0]]), 0, 0),
    (torch.tensor([[1, 0, 0, 1], [0, 1, 1, 1], [1, 0, 1, 0]]), 1, 2),
    (torch.zeros(3, 4, dtype=torch.long), 2, 3),
]
EDGES = [
    (torch.tensor([[0, 1], [2, 3], [1, 3], [4, 5]]),),
    (torch.tensor([[5, 4], [4, 3], [3, 2], [2, 5]]),),
]


@case(inputs=GRIDS)
def flood_fill(grid, row, column):
    """A table around the function has the places that were seen"""
    seen = torch.zeros_like(grid)

    def fill(i, j):
        if i < 0 or j < 0 or i >= grid.shape[0] or j >= grid.shape[1]:
            return
        if grid[i, j] == 0 or seen[i, j] == 1:
            return
        seen[i, j] = 1
        fill(i + 1, j)
        fill(i - 1, j)
        fill(i, j + 1)
        fill(i, j - 1)

    fill(row, column)
    return seen


def _find(parent, i):
    if parent[i] != i:
        parent[i] = _find(parent, int(parent[i]))
    return int(parent[i])


@case(inputs=EDGES)
def union_find(edges):
    """Paths are compressed on the way back"""
    parent = torch.arange(6)
    for edge in range(edges.shape[0]):
        one, other = _find(parent, int(edges[edge, 0])), _find(parent, int(edges[edge, 1]))
        if one != other:
            parent[other] = one
    return parent


@case(
    inputs=[
        (noise(3, 3), torch.tensor([1, -1, -1]), torch.tensor([2, -1, -1]), 0),
        (noise(3, 3, seed=1), torch.tensor([-1, 0, -1]), torch.tensor([-1, 2, -1]), 1),
    ]
)
class StatesOfTree(nn.Module):
    """The states of the nodes are rows of one tensor"""

    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(3, 3)

    def walk(self, x, left, right, node, states):
        h = x[node]
        if left[node] >= 0:
            one = self.walk(x, left, right, int(left[node]), states)
            other = self.walk(x, left, right, int(right[node]), states)
            h = h + one + other
        h = torch.tanh(self.cell(h))
        states[node] = h
        return h

    def forward(self, x, left, right, root):
        states = x.new_zeros(x.shape[0], 3)
        self.walk(x, left, right, root, states)
        return states


@case(inputs=[(noise(4, 4),), (noise(4, 4, seed=1),)])
def depths_of_leaves(score):
    """Numbers that are known where the recursion begins"""
    split = score.argmax(1)
    depth = torch.zeros(4, dtype=torch.long)

    def build(i, j, d):
        if i == j:
            depth[i] = d
            return
        k = i + int(split[i]) % (j - i)
        build(i, k, d + 1)
        build(k + 1, j, d + 1)

    build(0, 3, 0)
    return depth


@case(inputs=DEPTHS)
def parts_held_outside(x, n):
    """Views and rows that the caller holds have what was written"""
    y = torch.zeros(8)
    head, place = y[:3], y[n]

    def fill(k):
        if k <= 0:
            return
        y[k] = y[k] + x[k % 3] * k
        if x[k % 3] > 0:
            fill(k - 2)
        else:
            fill(k - 1)
        y[k - 1] += 1

    fill(n)
    return y, head, place * 2


@case(inputs=DEPTHS)
def handed_on_in_turn(x, n):
    """Two tensors change places at every depth"""
    y, z = torch.zeros(8), torch.ones(8)

    def fill(k, a, b):
        if k <= 0:
            return a.sum()
        a[k] += x[k % 3]
        b[k] *= 2
        if x[k % 3] > 0:
            return fill(k - 2, b, a)
        return fill(k - 1, a, b)

    result = fill(n, y, z)
    return y, z, result


@case(inputs=DEPTHS)
def columns_and_rows_given(x, n):
    """Parts of tensors are given, one at a place of run time"""
    y = torch.ones(8, 6)

    def fill(k, a):
        if k <= 0:
            return
        a[k % 4] += x[k % 3]
        fill(k - (2 if x[k % 3] > 0 else 1), a)

    fill(n, y[:, 1])
    fill(n, y[n])
    return y


class _Holder:
    def __init__(self, table):
        self.table = table


@case(inputs=DEPTHS)
def held_by_objects(x, n):
    """What objects and lists hold is written"""
    holder, others = _Holder(torch.zeros(4, 3)), [torch.zeros(3) for _ in range(3)]

    def fill(each, k):
        if k <= 0:
            return
        each.table[k % 4] += x
        others[1][k % 3] += 1
        fill(each, k - (2 if x[k % 3] > 0 else 1))

    fill(holder, n)
    return holder.table, others


@case(inputs=DEPTHS)
def ended_by_an_error(x, n):
    """What was written until an error ended it is there"""
    y = torch.zeros(8)

    def fill(k):
        if k <= 0:
            if x[0] < 0:
                raise ValueError("end")
            return
        y[k] += x[k % 3]
        fill(k - (2 if x[k % 3] > 0 else 1))
        y[0] = 9

    try:
        fill(n)
    except ValueError:
        y += 1
    return y


@case(inputs=DEPTHS)
def written_by_generator(x, n):
    """A generator that asks itself for items writes between them"""
    y = torch.zeros(8)

    def walk(k):
        if k <= 0:
            return
        y[k] += x[k % 3]
        yield k
        yield from walk(k - (1 if x[k % 3] > 0 else 2))

    return list(walk(n)), y


@case(inputs=DEPTHS)
def before_and_after_within(x, n):
    """Expressions hold the tensor, and parts of it, while it is written"""
    y = torch.zeros(8)

    def fill(k):
        if k <= 0:
            return x[0]
        y[k] += x[k % 3]
        return fill(k - (2 if x[k % 3] > 0 else 1))

    return y[:3] + fill(n), y[n] * 1 + fill(n), y + fill(n)


@case(inputs=DEPTHS, refused="DYCL034")
def caller_of_the_program(x, n):
    """What outlives the call is not written: an error below would leave it half written"""

    def fill(k):
        if k <= 0:
            return
        x[k % 3] += k  # <- refused
        fill(k - (2 if x[k % 3] > 2 else 1))

    fill(n)
    return x * 2


@case(inputs=DEPTHS, refused="DYCL034")
def parts_that_overlap(x, n):
    """Tensors are given that share memory"""
    y = torch.ones(8)

    def fill(k, a, b):
        if k <= 0:
            return
        a[k % 4] += x[k % 3]  # <- refused
        b[k % 4] *= 2  # <- refused
        fill(k - 1, b, a)

    fill(n, y[:6], y[2:])
    return y


@case(inputs=DEPTHS, refused="DYCL063")
def looked_at_after_errors(x, n):
    """A clause that runs after an error below would see what was written"""
    y = torch.zeros(8)

    def fill(k):
        if k <= 0:
            return 10 // (n - 3)
        y[k] += x[k % 3]
        return fill(k - (2 if x[k % 3] > 0 else 1))  # <- refused

    try:
        result = fill(n)  # <- refused
    finally:
        print(y.sum().item())
    return y, result
