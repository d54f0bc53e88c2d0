"""Views whose whole nobody reads any more, written on both sides of decisions."""

import torch

from tests.language.harness import case, noise

X = noise(2, 3)
BOTH = [(X.abs(),), (-X.abs(),)]
COUNTS = [(X, 3), (X, 0), (-X, 1), (X, 4)]


class _Cache:
    """Keys or values of a layer, in memory that was made for all."""

    def __init__(self, data, length):
        self.data, self.length = data, length

    def cat(self, new):
        self.data.narrow(0, self.length, len(new)).copy_(new)
        self.length.add_(len(new))
        return torch.narrow(self.data, 0, 0, self.length)


@case(inputs=COUNTS)
def caches_in_one_memory(x, n):
    """Two caches lie in one tensor, and their lengths in another one."""
    data, lengths = torch.zeros(2, 12, 3), torch.zeros(2, dtype=torch.long)
    keys, values = (_Cache(data[i], lengths[i]) for i in range(2))
    for _ in range(n):
        seen, other = keys.cat(x), values.cat(x * 2)
        x = x + (seen.sum() * other.sum()).tanh()
    return data, lengths, x


@case(inputs=BOTH)
def what_was_seen_before(x):
    """What one cache gave is read after the other one was written, on both ways of a test."""
    data, lengths = torch.zeros(2, 12, 3), torch.zeros(2, dtype=torch.long)
    keys, values = (_Cache(data[i], lengths[i]) for i in range(2))
    seen = keys.cat(x)
    other = values.cat(x * 2)
    again = keys.cat(x + 1) if seen.sum() > 0 else values.cat(x - 1)
    return data, seen + 1, other + 2, again.sum(), lengths




@case(inputs=BOTH)
def columns(x):
    """Columns lie between each other: no write into one is certain to miss the other one."""
    y = torch.zeros(3, 2)
    left, right = y[:, 0], y[:, 1]
    left.add_(1)
    if x.sum() > 0:
        right.add_(2)
    left.mul_(3)
    return left, right, y


@case(inputs=BOTH)
def overlapping(x):
    """Views of a tensor that nobody else reads share an element."""
    y = torch.zeros(5)
    left, right = y[:3], y[2:]
    left.add_(1)
    if x.sum() > 0:
        right.add_(2)
    left.mul_(3)
    return left, right, y + 0



@case(inputs=COUNTS)
def view_of_a_view_of_any_length(x, n):
    """A part of any length of a row is read after another row was written."""
    table = torch.zeros(2, 5)
    row, other = table[0], table[1]
    row[:3].copy_(x[0])
    part = torch.narrow(row, 0, 0, n)
    other[:3].copy_(x[1])
    if part.sum() > -0.5:
        x = x + 1
    other[n:].fill_(7)
    return table, part.sum() + x


@case(inputs=COUNTS, refused_on_host="DYCL203")
def written_on_one_way(x, n):
    """What the part is of is another variable on each way to the second write."""
    table = torch.zeros(2, 5)
    row, other = table[0], table[1]
    row[:3].copy_(x[0])
    part = torch.narrow(row, 0, 0, n)
    if x.sum() > 0:
        other[n:].fill_(7)
    other.add_(1)  # <- refused
    return table, part.sum() + x


@case(inputs=COUNTS)
def part_of_what_was_written(x, n):
    """The very row is written, after a part of any length of it was taken."""
    table = torch.zeros(2, 5)
    row = table[0]
    part = torch.narrow(row, 0, 0, n)
    if x.sum() > 0:
        x = x + 1
    row.add_(2)
    if x.sum() > 1:
        x = x + part.sum()
    table[1].add_(1)
    part.mul_(3)
    return table, part * 2, x


@case(inputs=COUNTS)
def rebound_in_a_loop(x, n):
    """The tensor is another one in each turn, and so is the row; the part is of before."""
    table = torch.zeros(2, 5)
    part = torch.narrow(table[0], 0, 0, 3)
    for i in range(n):
        row = table[1]
        part = torch.narrow(row, 0, 0, 3)
        table[0].add_(i + 1)
        if part.sum() > 3:
            part.sub_(1)
        row.add_(1)
        table = table.flip(0).clone() if x.sum() < 0 else table
    return table, part + x.sum()



@case(inputs=BOTH, refused_on_host="DYCL203")
def neighbours_without_their_whole(x):
    """Nobody holds the whole of which two views are parts."""
    left, right = torch.zeros(2, 6).chunk(2, dim=0)
    left.add_(1)
    if x.sum() > 0:
        right.add_(x.sum())  # <- refused
    left.mul_(3)
    return left, right


@case(inputs=BOTH, may_refuse=True)
def written_together(x):
    """A tensor made of another one is none of its views, though both are written at once."""
    y = x * 1
    z = y * 2
    torch._foreach_add_([y, z], 1.0)
    if x.sum() > 0:
        x = x + 1
    torch._foreach_add_([y, z], 1.0)
    return y + x, z
