"""Views that are taken before a decision and written after it: of one tensor, in several turns."""

import torch
import torch.nn.functional as F
from torch.export import Dim

from tests.language.harness import case

BOTH = [(torch.tensor([[1.0, -2.0], [3.0, 4.0]]),), (torch.tensor([[-1.0, 9.0], [-3.0, 2.0]]),)]

ROWS = {"x": {0: Dim("rows", min=1, max=8)}}


@case(inputs=BOTH)
def rows_around_a_loop(x):
    """The rows of a tensor are written in turn, each before a loop that ends at run time."""
    steps = 0
    for row in x * 2:
        row.add_(x.sum())
        while steps < 4 and row[0] > 2 * steps:
            steps += 1
    return row, steps


@case(inputs=[*BOTH, (torch.full((2, 2), -1.0),)])
def pieces_around_a_loop(x):
    """Pieces that only a comprehension's list holds, and the tensor that they are parts of."""
    base = x + 1
    steps = 0
    total = 0
    for piece in [part[0] for part in base.chunk(2)]:
        piece.mul_(3)
        while steps < 3 and total < 5:
            steps += 1
            total += base.sum().item()
    return base, total


@case(inputs=[*BOTH, (torch.full((2, 2), -1.0),)], refused_on_host="DYCL203")
def copies_by_layout(x):
    """A copy that PyTorch makes of a transposed tensor only is written after a decision."""
    turned = (x * 1).t()
    y = x + 1 if x.sum() > 2 else x
    copied = turned.contiguous()
    copied.mul_(2)  # <- refused
    return turned + y, copied


@case(inputs=BOTH)
def viewed_behind_a_decision(x):
    """What lay by rows when it was turned back is viewed after a decision."""
    y = x.relu().t()
    if x.sum() > 6.5:
        y = y.exp()
    return y.t().view(-1), y.t().contiguous().view(1, -1, 1), y.t().view_as(torch.ones(1, 4))


@case(inputs=BOTH)
def attention_behind_a_decision(x):
    """Attention lays its result out as its query: turned back, that is contiguous."""
    q = torch.stack([x, x]).relu().transpose(0, 1)[None]
    if x.sum() > 6.5:
        z = F.scaled_dot_product_attention(q, q, q)
        return z.transpose(1, 2).contiguous().view(size=(1, 2, 4)).round(decimals=3)
    return q


@case(inputs=[*BOTH, (torch.ones(1, 2),), (torch.ones(4, 2),)], dynamic_shapes=ROWS)
def viewed_at_any_size(x):
    """The same where a size is known at run time only."""
    y = x.relu().t()
    if x.sum() > 6.5:
        y = y * 2
    return y.t().view(-1), y.view(1, 2, -1)


@case(inputs=BOTH, refused_on_host="DYCL203")
def viewed_and_written(x):
    """What is viewed after a decision changes with the view."""
    y = x.relu().t()
    if x.sum() > 6.5:
        rows = y.t().view(-1)
        rows[0] = 50  # <- refused
        return y + 1
    return y


TURNS = [
    (torch.tensor([[1.0, 2.0, -1.0], [0.5, 1.0, 2.0]]),),
    (torch.tensor([[-1.0, -2.0, 1.0], [-5.0, 1.0, 2.0]]),),
    (torch.tensor([[-1.0, 7.0, 1.0], [-0.5, 1.0, 2.0]]),),
]


class Cache:
    """A part of one tensor of all caches, and how much of it is filled."""

    def __init__(self, data, length):
        self.data, self.length = data, length

    def add(self, x):
        self.data[1:] = self.data[:-1].clone()
        self.data[0] = x
        self.length.add_(1)


@case(inputs=TURNS)
def caches_in_one_tensor(x):
    """Caches are parts of one tensor, and are filled between decisions."""
    data, lengths = torch.zeros(2, 4, 2, 3), torch.zeros(2, dtype=torch.int64)
    first, second = [Cache(data[i], lengths[i]) for i in range(2)]
    for _ in range(3):
        first.add(x)
        if x.sum() > 0:
            second.add(x * 2)
        x = x - 1
    return data, lengths, second.data + 1, first.length * 2


@case(inputs=TURNS)
def turned_and_stepped(x):
    """Views by steps, turned, and with dimensions of one element."""
    y = torch.zeros(2, 3, 4) + x[:, :, None]
    turned, stepped = y.transpose(0, 2)[1::2, :, 1:], y[:, ::2, 3]
    thin = y[1:, 1, None, 1:4:2]
    if x.sum() > 0:
        turned += 1
        stepped *= 2
    else:
        thin -= 3
        y[0, 0] = 9
    if x[0, 1] > 0:
        y.mul_(2)
    return y, turned, stepped, thin


@case(inputs=TURNS)
def parts_in_a_loop(x):
    """Parts of a tensor are written in a loop, which tests one of them."""
    y = x.round().long()
    left, right = y.split([2, 1], 1)
    while left.sum() < 20 and x.sum() > 0:
        left += 2
        right -= 1
    return y, left, right


@case(inputs=TURNS)
def repeated_without_memory(x):
    """One row that stands for several is taken again of the row before."""
    y = x + 0
    rows = y[:1].expand(3, 3)
    if x.sum() > 0:
        y += 1
    return y, rows


@case(inputs=TURNS)
def one_of_two_parts(x):
    """Which part of a tensor a name stands for is a decision."""
    y = x + 0
    row = y[0] if x.sum() > 0 else y[1]
    if x[0, 1] > 0:
        row += 1
    return y, row


@case(inputs=BOTH, dynamic_shapes=ROWS)
def columns_of_any_size(x):
    """Parts of a tensor of any size, taken before its size is read, and written after that."""
    base = x.clone()
    column = base[:, 1:]
    below = column[1:]
    count = base.shape[0]
    if x.sum() > 6.5:
        below.mul_(count)
        return base, column, below
    first, second = base.tensor_split(2, dim=1)
    print(first.shape[0])
    second.sub_(1)
    return base, column, below, second


PLACES = [
    (torch.tensor([0.0, 4.0, 1.0, 3.0]),),
    (torch.tensor([1.0, 1.0, 2.0, 0.0]),),
    (torch.tensor([5.0, 9.0, 4.0, 3.0]),),
    (torch.tensor([9.0, 9.0, 9.0, 9.0]),),
]


@case(inputs=PLACES)
def rows_as_many_as_were_found(x):
    """What was found is copied to a slice between numbers of run time, if it fits."""
    out, start = torch.zeros_like(x), 0
    for least in (0, 3):
        found = x[(x >= least) & (x < least + 3)]
        out[start : start + found.size(0)].copy_(-found)
        start += found.size(0)
    return out, start


@case(inputs=PLACES)
def nothing_found_is_left_out(x):
    """A class of which there is nothing is left out; of one thing there is a scalar."""
    out, start = torch.zeros_like(x), 0
    for least in (0, 3):
        where = ((x >= least) & (x < least + 3)).nonzero().squeeze()
        if where.numel() == 0:
            continue
        found = x.index_select(0, where)
        out[start : start + found.size(0)].copy_(-found)
        start += found.size(0)
    return out, start


@case(inputs=PLACES)
def number_changed_before_the_write(x):
    """A slice stays where it was taken, whatever its number is when it is written."""
    out, start = torch.zeros(8), 0
    while start < 4 and x[start] < 5:
        row = out[start : start + 2]
        start += 1
        if x.sum() > 7:
            start += 1
            row.add_(start)
        else:
            row.sub_(1)
    return out, start


@case(inputs=PLACES)
def slice_written_after_the_loop(x):
    """The slice of the last iteration is written after the loop has changed its number."""
    out, start = torch.zeros(8), 0
    while True:
        row = out[start : start + 2]
        start += 1
        if start == 4 or x[start] > 3:
            break
    if x.sum() > 7:
        start += 3
        row.add_(start)
    return out, start
