"""Functions that call themselves with tensors whose sizes are known only at run time"""

import torch
from torch import Tensor, nn
from torch.export import Dim

from tests.language.harness import case

ROWS = torch.arange(20.0).reshape(5, 4).sin()


def _places(*values: int) -> Tensor:
    return torch.tensor(values)  # at import


BALANCED = (ROWS, _places(1, 3, -1, -1, -1), _places(2, 4, -1, -1, -1))
CHAIN = (ROWS, _places(1, -1, 3, -1, -1), _places(2, -1, 4, -1, -1))
LEAF = (ROWS, _places(-1, -1, -1, -1, -1), _places(-1, -1, -1, -1, -1))
BEYOND = (ROWS, _places(5, -1, -1, -1, -1), _places(-1, -1, -1, -1, -1))  # an IndexError
TREES = [BALANCED, CHAIN, LEAF, BEYOND]
DEPTHS = [(ROWS, 3), (ROWS, 0), (ROWS, 4), (ROWS, 6), (ROWS, -1)]


@case(inputs=TREES, messages=False)
class RowsWithTheirDimension(nn.Module):
    """A slice of one row is empty beyond the end: what the recursion gives may be, too."""

    def __init__(self) -> None:
        super().__init__()
        self.word, self.child = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x, left, right):
        def encode(node):
            state = self.word(x[node : node + 1])
            if left[node] < 0:
                return state.tanh(), state
            one, memory = encode(left[node].item())
            other, kept = encode(right[node].item())
            return (state + self.child(one + other)).tanh(), memory + kept

        return encode(0)


@case(inputs=TREES, messages=False)
def leaves_together(x, left, right):
    """Leaves in order: as many rows as the tree has, of which the caller makes a mean."""

    def leaves(node):
        if left[node] < 0:
            return x[node].unsqueeze(0)
        return torch.cat([leaves(int(left[node])), leaves(int(right[node]))])

    found = leaves(0)
    return found, found.shape[0], found.mean(0)


@case(inputs=TREES, messages=False)
def rows_and_their_number(x, left, right):
    """A number beside rows is a number like others: it is not known to be their size."""

    def rows(node):
        if left[node] < 0:
            own = x[node : node + 1]
            return own, own.shape[0]
        one, few = rows(int(left[node]))
        other, more = rows(int(right[node]))
        return torch.cat([one, other]), few + more

    found, count = rows(0)
    return found[: count - 1], torch.zeros(count) + found[:, 0]


@case(inputs=DEPTHS)
def alike_at_the_end_only(x, n):
    """Two tensors of one size where the recursion ends, and of others before."""

    def grown(k):
        if k <= 0:
            return x[:1], x[:1] * 2
        one, two = grown(k - 1)
        return one, torch.cat([two, x[k : k + 1]])

    one, two = grown(n)
    return one + two if one.shape == two.shape else two - one.sum()


@case(inputs=DEPTHS)
def both_sizes_of_a_mask(x, n):
    """Rows that a mask leaves, of each depth, none at last."""

    def positive(y, k):
        left = y[y[:, 0] > 0]
        if k <= 0 or left.shape[0] == 0:
            return left
        return torch.cat([left, positive(y - 0.3, k - 1)])

    return positive(x, n)


@case(inputs=DEPTHS)
def one_calls_the_other(x, n):
    """Two functions that call each other."""

    def even(k):
        return x[:1] if k <= 0 else torch.cat([odd(k - 1), x[k : k + 1]])

    def odd(k):
        return x[:2] if k <= 0 else torch.cat([x[k : k + 1] * 2, even(k - 1)])

    return even(n)


@case(inputs=DEPTHS)
def written_in_place_afterwards(x, n):
    """What came from below is written, whose size a row's place is compared with."""

    def grown(k):
        if k <= 0:
            return x[:1] * 1
        rows = torch.cat([grown(k - 1), x[k : k + 1]])
        rows[0] += 1
        return rows

    rows = grown(n)
    first = rows[0]
    rows *= 2
    first += 1
    return rows


@case(inputs=DEPTHS)
def walked_afterwards(x, n):
    """A loop over as many rows as there are."""

    def grown(k):
        return x[:1] if k <= 0 else torch.cat([grown(k - 1) * 0.5, x[k : k + 1]])

    total = torch.zeros(4)
    for row in grown(n):
        total = total + row if row.sum() > 0 else total - 1
    return total


@case(inputs=DEPTHS)
def columns_too(x, n):
    """Turned at each depth: sizes in both dimensions are open."""

    def turned(k):
        if k <= 0:
            return x[:1].t()
        return torch.cat([turned(k - 1).t(), x[k : k + 1]]).t()

    return turned(n)


@case(inputs=[(ROWS, 3), (ROWS, 0), (ROWS, 6)])
def an_error_from_below(x, n):
    """An exception that is caught around the recursion."""

    def grown(k):
        if k > 5:
            raise ValueError("too far")
        return x[:1] if k <= 0 else torch.cat([grown(k - 1), x[k : k + 1]])

    try:
        return grown(n)
    except ValueError:
        return x[:2]


@case(inputs=[(ROWS, 3), (ROWS, 0), (-ROWS.abs(), 2)])
def open_sizes_go_in(x, n):
    """Rows that a mask leaves go through the recursion, and meet themselves afterwards."""

    def halved(k, y, sums):
        if k <= 0:
            return y * sums.unsqueeze(1)
        return halved(k - 1, y * 0.5, sums + y.sum(1))

    left = x[x[:, 0] > 0]
    return halved(n, left, left[:, 0]) + left


@case(inputs=[(ROWS, 3), (ROWS, 0), (ROWS, 2), (-ROWS.abs(), 1)])
def two_sizes_change_places(x, n):
    """Two arguments of sizes that differ, handed on the other way round."""

    def swapped(k, one, two):
        if k <= 0:
            return one.sum(0) - two.sum(0), one.shape[0]
        return swapped(k - 1, two, one)

    return swapped(n, x[x[:, 0] > 0], x[x[:, 0] <= 0])


@case(inputs=[(ROWS,), (-ROWS,), (ROWS.abs(),), (torch.zeros(5, 4),)])
def sorted_by_parts(x):
    """Quicksort: what is smaller and what is larger, until nothing is left."""

    def ordered(y):
        if len(y) <= 1:
            return y
        first, others = y[0], y[1:]
        smaller, larger = others[others < first], others[others >= first]
        return torch.cat([ordered(smaller), first[None], ordered(larger)])

    return ordered(x[:, 1])


@case(inputs=[(ROWS,), (-ROWS,), (ROWS.abs(),), (torch.zeros(5, 4),)])
def merged(x):
    """Two ordered tensors as one: one of them is a row shorter each time."""

    def both(one, two):
        if one.shape[0] == 0:
            return two
        if two.shape[0] == 0:
            return one
        if one[0] < two[0]:
            return torch.cat([one[:1], both(one[1:], two)])
        return torch.cat([two[:1], both(one, two[1:])])

    return both(x[:2, 0].sort().values, x[2:, 1].sort().values)


ANY_BATCH = {"x": {0: Dim("batch", max=64)}, "n": None}


@case(
    inputs=[(ROWS, 3), (ROWS[:1], 0), (ROWS[:0], 2), (ROWS[:3], -1)],
    dynamic_shapes=ANY_BATCH,
)
def any_batch(x, n):
    """A recursion over a batch of any size."""

    def deeper(k, state, sums):
        if k <= 0:
            return state, sums
        return deeper(k - 1, (state + x).tanh(), sums + state.sum(1))

    state, sums = deeper(n, x * 2, x[:, 0])
    return state + x, sums


@case(
    inputs=[(ROWS, 3), (ROWS[:1], 0), (ROWS[:0], 2), (ROWS[:4], -1)],
    dynamic_shapes=ANY_BATCH,
)
def halved_until_one(x, n):
    """What ends the recursion is a size."""

    def total(y):
        if y.shape[0] <= 1:
            return y.sum(0)
        middle = y.shape[0] // 2
        return total(y[:middle]) + total(y[middle:]) * n

    return total(x)


@case(inputs=[(ROWS, 3), (ROWS, 0)], refused="DYCL075")
def by_columns(x, n):
    """A tensor of unknown size that lies by columns does not go in."""

    def halved(k, y):
        return y if k <= 0 else halved(k - 1, y)

    turned = x[x[:, 0] > 0].t().contiguous().t()
    return halved(n, turned)  # <- refused


@case(inputs=[(ROWS, 2), (ROWS, 0)])
def written_below(x, n):
    """What goes in may be written."""

    def raised(k, y):
        if k <= 0:
            return y
        y += 1
        return raised(k - 1, y)

    return raised(n, x[x[:, 0] > 0])
