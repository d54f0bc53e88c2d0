"""numpy arrays on the host whose size the input decides."""

import numpy as np
import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

ROWS = [(MIXED,), (POSITIVE,), (NEGATIVE,), (ZERO,)]


@case(inputs=ROWS)
def picked_by_a_mask(x):
    """A mask picks some elements: their number, what is computed of them, a tensor of them."""
    values = x.numpy()
    picked = values[values > 0]
    if picked.size == 0:
        return picked.shape, len(picked)
    doubled = picked * 2 + 1
    return torch.from_numpy(doubled).sum(), picked.max(), doubled.tolist(), doubled[:2], len(picked)


@case(inputs=ROWS, messages=False)
def the_largest_of_none(x):
    """Where numpy raises for none, the host does."""
    return x.numpy()[x.numpy() > 1].max()


@case(inputs=ROWS)
class RowsThatAreFound(nn.Module):
    """Places that are found choose rows of a tensor, and are walked over."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x):
        places = np.where(x.sum(1).numpy() > 0)[0]
        total = 0
        for number, place in enumerate(places):
            total += number + int(place)
        if len(places) == 0:
            return x, total
        return self.layer(x[places]), x[torch.as_tensor(places)].max(0).values, total


@case(inputs=ROWS)
def pairs_of_places(x):
    """Rows of an array with two known columns are unpacked."""
    places = np.argwhere(x.numpy() > 0)
    for row, column in places:
        x = x + int(row) * 0.5 + int(column)
    return x, places.tolist(), places.shape[1]


@case(inputs=ROWS)
def made_of_sizes(x):
    """Sizes make arrays, and parts of them stay known."""
    values = x.numpy()
    chosen = values[:, np.flatnonzero(values[0] > 0)]
    rows, columns = chosen.shape
    made = np.zeros((columns, rows))
    made[:] = chosen.T
    across, down = np.meshgrid(np.arange(columns), np.arange(3))
    grid = np.stack([across, down], -1).reshape(-1, 2)
    return rows, made, np.full(chosen.shape, 2.0), grid, torch.from_numpy(grid).float() * 0.5


@case(inputs=ROWS)
def on_either_path(x):
    """Arrays of different sizes meet where paths do."""
    places = np.flatnonzero(x[0].numpy() > 0)
    places = places[:1] if x[1, 1] > 0 else np.zeros(2, dtype=np.int64)
    return places, len(places)


@case(inputs=ROWS)
def smaller_in_each_iteration(x):
    """A loop goes on until nothing is left."""
    order, kept = x.numpy().ravel().argsort(kind="stable")[::-1], []
    while order.size > 0:
        kept.append(int(order[0]))
        order = order[np.where(order[1:] % 2 == order[0] % 2)[0] + 1]
    return kept


@case(inputs=ROWS)
def as_lists(x):
    """Lists, sets and dicts of the elements."""
    places = np.flatnonzero(x[0].numpy() > 0)
    listed = [int(place) + 1 for place in places]
    by_place = {int(place): float(x[0, int(place)]) for place in places}
    return listed, places.tolist(), sorted(places.tolist(), reverse=True), by_place


@case(inputs=ROWS)
def what_it_is(x):
    """An array of any size is an array, of a known element type."""
    places = np.flatnonzero(x[0].numpy() > 0)
    return isinstance(places, np.ndarray), places.dtype == np.int64, places.ndim


@case(inputs=[(torch.arange(6.0), torch.tensor(n)) for n in (3, 0, 1, 6)])
def array_of_a_tensor_of_any_size(x, n):
    """A tensor whose size the input decides becomes an array, and an array a tensor."""
    values = x[: int(n)].numpy()
    scaled = torch.from_numpy(values[values % 2 == 0] * 3)
    return values, scaled, scaled.shape[0]


@case(inputs=[(torch.arange(6.0), torch.tensor(n)) for n in (3, 0, 1)], refused="DYCL035")
def its_tensor_is_written(x, n):
    """The array shares the memory of the tensor."""
    y = x * 2
    values = y[: int(n)].numpy()
    y += 1  # <- refused
    return values  # never


@case(inputs=[(POSITIVE, 0), (POSITIVE, 2)])
def that_lies_backwards(x, n):
    """PyTorch makes no tensor of an array that lies backwards in memory, however short."""
    row = x[0].numpy()[::-1]
    row = row.copy() if n > 1 else row
    return torch.from_numpy(row[:n])


@case(inputs=[(torch.arange(6.0), n, m) for n, m in ((3, 2), (2, 3), (1, 6), (6, 1))])
def shaped_by_numbers(x, n, m):
    """No number is taken for the one that samples happen to have where numpy does not raise."""
    picked = x.numpy()[x.numpy() >= 0]
    return picked.reshape(n, m).shape, picked.reshape(n, m)[:, :1].shape


def _positions(count, width):
    """Make a table of as many rows as the caller says."""
    return torch.tensor(np.array([[row / 10.0**at for at in range(width)] for row in range(count)]))


@case(inputs=[(torch.arange(60.0).reshape(20, 3), torch.tensor(n)) for n in (3, 0, 1, 15, 20, 30)])
def as_many_rows_as_many_tokens(x, n):
    """A table is made for long inputs only: no small sizes are among those that fit."""
    x = x[: int(n)]
    if x.shape[0] > 10:
        return x + _positions(x.shape[0], 3)[: x.shape[0], :]
    return x * 2
