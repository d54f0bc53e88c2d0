"""In-place operations, views and aliasing within straight lines and across branches."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH)
def augmented_on_tensor(x):
    """+= on a fresh tensor writes into it; other names see it."""
    y = x * 1
    z = y
    y += 1
    if x.sum() > 0:
        y *= 2
    return y, z, y is z


@case(inputs=BOTH)
def in_place_methods(x):
    """add_, mul_, clamp_, relu_, zero_, fill_ and copy_ on fresh tensors."""
    y = x.clone()
    y.add_(1).mul_(2)
    if y.sum() > 0:
        y.clamp_(max=4)
        y[0].zero_()
    else:
        torch.relu_(y)
    z = torch.empty(2, 3)
    z.fill_(0.5)
    z[1].copy_(y[0])
    return y, z


@case(inputs=[*BOTH, (POSITIVE * 0 + 0.1,)])
class InplaceActivations(nn.Module):
    """nn.ReLU(inplace=True) after a layer."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Linear(3, 3)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        y = self.conv(x)
        z = self.relu(y)
        if z.sum() > 2.0:
            z += x
        return y, z


@case(inputs=BOTH)
def subscript_stores(x):
    """x[...] = v with integers, slices, masks, lists and broadcasting."""
    y = torch.zeros(3, 3)
    y[0] = x[0]
    y[1:, 1] = 5
    y[:, 2] += 1
    if x.sum() > 0:
        y[x[0] > 0.7] = -1
    else:
        y[[0, 2]] = x
    y[..., 0] = torch.arange(3)
    return y


@case(inputs=BOTH)
def view_is_written(x):
    """Writing through a view changes the base, across a dynamic branch."""
    base = x.clone()
    row = base[0]
    flat = base.view(-1)
    if x.sum() > 0:
        row += 10
    flat[-1] = 7
    return base, row, flat


@case(inputs=BOTH)
def base_is_written(x):
    """Writing the base changes views taken before, across a dynamic branch."""
    base = x * 1
    column = base[:, 0]
    before = column.clone()
    if x.sum() > 0:
        base[:, 0] = 0
    else:
        base.mul_(2)
    return column, before, column.sum()


@case(inputs=BOTH, may_refuse=True)
def input_is_mutated(x):
    """A written input changes for the caller as well, or the program is refused."""
    if x.sum() > 0:
        x += 1
    return x * 2


@case(inputs=BOTH, may_refuse=True)
def input_view_is_mutated(x):
    """An input written through a view changes for the caller, or the program is refused."""
    first = x[0]
    first.zero_()
    if x.sum() > 0:
        first[1] = 3
    return x.sum()


@case(inputs=BOTH)
def number_is_not_aliased(x):
    """+= on an integer or a bool rebinds; on a tensor in a list it writes."""
    items = [x.clone(), 1]
    tensor, number = items
    tensor += 1
    number += 1
    if x.sum() > 0:
        items[0] += 1
        items[1] += 5
    return items, number, tensor


@case(inputs=BOTH)
def in_place_in_loop(x):
    """An accumulator written in place in an unrolled loop with dynamic tests."""
    total = torch.zeros(3)
    history = []
    for row in x:
        if row.max() > 1:
            total += row
        else:
            total.sub_(row)
        history.append(total.clone())
    return total, history


@case(inputs=BOTH)
def same_tensor_in_a_list(x):
    """A tensor appended twice and written in place shows in both places."""
    total = x.clone()
    outputs = []
    for _ in range(2):
        total += 1
        outputs.append(total)
    if x.sum() > 0:
        total += 1
    return outputs


@case(inputs=[*BOTH, (MIXED,)])
def masked_and_indexed_writes(x):
    """masked_fill_, index_fill_, scatter_, index_add_ and out-of-place twins."""
    y = x.clone().masked_fill_(x < 0, 0.0)
    z = torch.zeros(2, 3).scatter_(1, x.argmax(1, keepdim=True), 1.0)
    if y.sum() > 0:
        y.index_fill_(1, torch.tensor([0]), -1)
    w = torch.zeros(3).index_add_(0, torch.tensor([0, 2]), x[:, 1])
    return y, z, w, x.masked_fill(z.bool(), 9)


@case(inputs=[(MIXED, torch.tensor(places)) for places in ([0, 2], [-1, 1], [-3, -3])])
def filled_from_the_end(x, places):
    """index_fill_ counts negative places from the end."""
    y = x.clone()
    y.index_fill_(1, places, x.sum())
    return y, y.index_fill(0, places[:1] * 0 - 1, 2), y.sum().index_fill(0, places[:1] * 0, 3.0)


@case(inputs=BOTH)
def out_argument(x):
    """out= writes into the given tensor."""
    y = torch.empty(2, 3)
    torch.add(x, 1, out=y)
    z = y
    if x.sum() > 0:
        torch.mul(x, 2, out=z)
    return y


@case(inputs=BOTH)
def detached_shares_storage(x):
    """detach() and .data share storage, clone() and contiguous copies do not."""
    y = x * 1
    shared = y.detach()
    copied = y.t().contiguous()
    own = y.clone()
    if x.sum() > 0:
        shared.add_(1)
        y.data[0] = 0
    return y, shared, copied, own


@case(inputs=BOTH, rounds=True)
class DataToComputeWith(nn.Module):
    """The data of weights, of an input and of a result, read and written into."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3))
        self.register_buffer("average", torch.zeros(3))

    def forward(self, x):
        y = x.data * self.weight.data
        if x.sum() > 0:
            y.data.add_(self.weight.data[0])
        self.average -= 0.5 * (self.average - self.weight.data)
        return y + self.average


@case(inputs=BOTH, messages=False)
def write_into_an_expanded_tensor(x):
    """PyTorch raises where a tensor is written whose elements share memory."""
    y = x[0].clone().expand(2, 3)
    if x.sum() > 0:
        y.add_(1)
    return y


@case(inputs=BOTH, messages=False)
def store_that_overlaps_its_source(x):
    """y[1:] = y[:-1] raises: source and target overlap in part; a clone does not."""
    y = x[0] * 1
    y[1:] = y[:-1].clone()
    try:
        if x.sum() > 0:
            y[1:] = y[:-1]
    except RuntimeError:
        return y, "overlap"
    return y, "apart"


@case(inputs=[(POSITIVE,), (NEGATIVE,), (POSITIVE * 3,)])
def store_of_the_tensor_itself(x):
    """A tensor stored into itself at indices or a mask raises; one element of it does not."""
    y = x[0] * 1
    y[y > 1] = y[0]
    try:
        if x.sum() > 20:
            y.index_copy_(0, torch.tensor([2, 0, 1]), y)
        elif x.sum() > 0:
            y[y > 0] = y
    except RuntimeError:
        return y, "overlap"
    return y, "apart"


@case(inputs=[(POSITIVE,), (POSITIVE.flip(1),), (NEGATIVE,)], may_refuse=True)
def element_stored_from_the_same_tensor(x):
    """y[i] = y[0] with a run-time index: the value is a view of what is written."""
    y = x.clone()
    i = x[1].argmax().item()
    j = x[0].argmin().item()
    y[i % 2] = y[0]
    y[-1 - i % 2] = y[1]
    y[:, j] = y[:, 1]
    return y


@case(inputs=BOTH)
def filled_diagonals(x):
    """fill_diagonal_ of wide, tall, square and whole-number matrices, seen through views"""
    wide, tall = x * 1, torch.zeros(5, 2)
    row = wide[0]
    scores = x.T @ x
    scores.fill_diagonal_(float("-inf"))
    heads = scores.argmax(1)
    wide.fill_diagonal_(fill_value=7)
    if x.sum() > 0:
        tall.fill_diagonal_(2.5)
    counts = torch.zeros(3, 3, dtype=torch.long).fill_diagonal_(True)
    return wide, tall, row, heads.tolist(), scores, counts


@case(inputs=[(POSITIVE, count) for count in (0, 1, 2, 4)])
def filled_diagonals_of_any_size(x, n: int):
    """fill_diagonal_ of a matrix whose sizes are known only at run time"""
    table = torch.zeros(n, n + 1)
    table.fill_diagonal_(3.0)
    return table, table.sum()
