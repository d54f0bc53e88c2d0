"""Tensors indexed by run-time integers, index tensors and ranges together."""

import torch

from tests.language.harness import case

GRID = torch.arange(60.0).reshape(3, 4, 5)
SERIES = [
    (GRID, 1, torch.tensor([0, 2])),
    (GRID * 2, 2, torch.tensor([2, 1])),
    (GRID - 9, 0, torch.tensor([1, 1])),
    (GRID, -1, torch.tensor([-1, 0])),
]


@case(inputs=SERIES)
def integers_beside_tensors(x, i, places):
    """PyTorch selects at integers first, wherever they stand."""
    near = (x[i, places], x[places, i], x[i, :, places], x[:, i, places], x[places, :, i])
    far = (x[i, ..., places], x[None, i, places], x[i, places, 1], x[i, 1, places], x[i, places, i])
    return near, far, x[x[:, 0, 0] > 20, i], x[places, places, i]


@case(inputs=SERIES)
def written_beside_tensors(x, i, places):
    """Elements written at an integer and an index tensor."""
    one, two, three, four, five = x.clone(), x.clone(), x.clone(), x.clone(), x.clone()
    one[i, places] = 7.0
    two[places, i] = x[0, :2]
    three[i, places, i] = torch.tensor([1.0, 2.0])
    four[i, places, 1:3] = 5.0
    five[i, places] += 1
    return one, two, three, four, five


@case(inputs=[(GRID, 1, torch.tensor([0, 2]))], refused="DYCL057")
def written_beside_a_mask(x, i, places):
    """Elements written at an integer and where a mask says."""
    y = x.clone()
    y[i, x[0, :, 0] > 3] = 1.0  # <- refused
    return y, places


@case(inputs=[(GRID,), (GRID * 0.1,), (GRID - 30,)])
def ranges_as_indices(x):
    """A range with an end known at run time only is an index like its numbers."""
    found = (x[0, :, 0] > 3).nonzero().flatten()
    count = int((x[1, :, 0] > 3).sum())
    rows = x[0][range(len(found)), found]
    y = x[1].clone()
    y[range(count), 0] = 3.0
    return rows, y, x[0, range(count)], x[2, :, range(0, count, 2)]


@case(inputs=[(torch.arange(48.0).reshape(2, 3, 2, 4), i) for i in (0, 1, -1)])
def integers_between_lists(x, i):
    """Lists of places beside an integer: those left over stand side by side, or apart."""
    return x[:, [0, 2], i, [1, 3]], x[[0, 1], i, :, [0, 2]], x[i, [0, 2]], x[[1, 0], [2, 1], i]


@case(
    inputs=[
        (GRID[0], torch.tensor([1, 0, 2, 0], dtype=torch.uint8)),
        (-GRID[0], torch.tensor([1, 1, 0, 0], dtype=torch.uint8)),
        (GRID[0], torch.zeros(4, dtype=torch.uint8)),
    ]
)
def bytes_are_masks(x, mask):
    """A tensor of bytes is a mask, not places: where it is not 0."""
    chosen = x[mask], x[:, 1][mask], x.t()[1, mask]
    return chosen if chosen[0].sum() > 0 else chosen[:1]


@case(inputs=[(GRID[0], torch.tensor(n, dtype=torch.uint8)) for n in (1, 0)])
def one_byte_is_a_mask(x, byte):
    """One byte is a mask too: PyTorch takes all, or nothing."""
    return x[byte]


@case(inputs=[(GRID[0], torch.tensor(n, dtype=torch.uint8)) for n in (1, 0)], may_refuse=True)
def written_at_one_byte(x, byte):
    """It is none where something is written: PyTorch raises for a number."""
    y = x.clone()
    y[byte] = 1.0
    return y  # never


@case(
    inputs=[(GRID[0], torch.tensor([n, 1, 0, 0], dtype=torch.uint8)) for n in (1, 0)],
    may_refuse=True,
    host=False,
)
def written_at_bytes(x, mask):
    """Rows that are written where bytes are not 0, and a number, for which PyTorch raises."""
    y = x.clone()
    y[mask] = x[0] * 2
    if mask[0] > 0:
        y[mask] = 1.0
    return y


MATCHED = [
    (torch.tensor([[1, 1, 0, 1], [0, 1, 0, 1], [0, 0, 1, 0]]), GRID[0, :3, :4].cos()),
    (torch.tensor([[1, 1, 0, 1], [1, 1, 1, 0], [0, 1, 1, 0]]), GRID[1, :3, :4].cos()),
    (torch.tensor([[1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0]]), GRID[2, :3, :4].cos()),
]


@case(inputs=MATCHED)
def places_beside_a_mask(matching, cost):
    """As many places as a mask chooses, read and written: each anchor keeps its best box."""
    several = matching.sum(0) > 1
    if matching.sum(0).max() > 1:
        best = cost[:, several].argmin(0)
        matching = matching.clone()
        matching[:, several] *= 0
        matching[best, several] = 1
        return matching, cost[best, several]
    return matching, cost


@case(inputs=[*MATCHED, (MATCHED[0][0], MATCHED[1][1].abs())], messages=False)
def masks_side_by_side(matching, cost):
    """Two masks are as many places, or one of them is one place; anything else is an IndexError."""
    rows, columns = cost[:, 0] > 0, matching.sum(0) > 1
    changed = torch.stack((cost, cost))
    changed[:, rows, columns] = 9.0
    return cost[rows, columns], changed, changed[None, 1:, rows, columns]
