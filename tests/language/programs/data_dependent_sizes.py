"""Sizes that depend on content: masks, nonzero, unique, lists of run-time length."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case, noise

FOUR = [(MIXED,), (POSITIVE,), (NEGATIVE,), (ZERO,)]


@case(inputs=FOUR)
def masks(x):
    """Boolean masks select what holds."""
    chosen = x[x > 0]
    return chosen, chosen.sum(), chosen.size(0), x.masked_select(x < 0), x[x.sum(1) > 0]


@case(inputs=FOUR)
def positions(x):
    """nonzero and one-argument where."""
    rows, columns = torch.where(x > 0)
    return (x > 0).nonzero(), rows, columns, x[rows, columns], torch.nonzero(x < 0).size(0)


@case(inputs=FOUR)
def distinct(x):
    """unique sorts and drops what is equal."""
    return torch.unique(x > 0), x.unique()


@case(inputs=FOUR)
def only_if_any(x):
    """Code for what was selected runs only where there is something."""
    keep = (x.sum(1) > 0).nonzero().squeeze(1)
    if keep.numel() == 0:
        return x.sum()
    rows = x[keep]
    return rows.max(dim=0)[0] * 2


@case(inputs=FOUR, messages=False)
def empty_selections_raise(x):
    """max of nothing raises."""
    return x[x > 0].max()


@case(inputs=FOUR)
def write_by_mask(x):
    """What a mask selects is computed on and written back."""
    out = torch.zeros_like(x)
    mask = x > 0
    out[mask] = x[mask] * 2 + 1
    out[x < 0] = -1.0
    return out


@case(inputs=FOUR)
class Routed(nn.Module):
    """Each row goes through the expert that its gate chooses."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(3, 2)
        self.experts = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])

    def forward(self, x):
        choice = self.gate(x).argmax(1)
        out = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            rows = torch.where(choice == number)[0]
            if rows.numel() > 0:
                out[rows] = expert(x[rows])
        return out


@case(inputs=FOUR)
def indexed_by_a_list(x):
    """A run-time list of integers is an index."""
    keep = []
    for i in range(2):
        if x[i].sum() > 0:
            keep.append(i)
    return x[keep], len(keep)


@case(inputs=FOUR)
def stacked_lists(x):
    """stack, cat and tensor of lists of run-time length."""
    rows, sums = [x[0]], [0.5]
    total = x.sum().item()
    while total > 1:
        rows.append(x[1] * total)
        sums.append(total)
        total = total - 3
    return torch.stack(rows), torch.cat(rows), torch.tensor(sums), len(rows)


@case(inputs=[(noise(6, 4, seed=s),) for s in range(3)], slow=True)
def suppressed(boxes):
    """Greedy suppression: boxes leave while one is picked at a time."""
    order = boxes[:, 0].argsort(descending=True)
    picked = []
    while order.numel() > 0:
        best = order[0].item()
        picked.append(best)
        rest = order[1:]
        near = (boxes[rest, 1] - boxes[best, 1]).abs() < 0.5
        order = rest[~near]
    return torch.tensor(picked)


BATCHES = [
    (noise(5, 2, seed=seed), torch.tensor(batch))  # at import
    for seed, batch in enumerate(([0, 0, 0, 1, 1], [0, 1, 1, 1, 2], [0, 0, 0, 0, 0]))  # at import
]


@case(inputs=BATCHES)
def rows_by_batches(x, batch):
    """Parts of what was written in place, up to a number of run time, in two dimensions."""
    batches = int(batch.max()) + 1
    counts = torch.zeros(batches, dtype=torch.long).scatter_add_(0, batch, torch.ones_like(batch))
    most = int(counts.max())
    before = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    places = torch.arange(5) - before[batch] + batch * most
    rows = torch.zeros(batches * most + 1, 2)
    rows[places] = x
    rows = rows[: batches * most].view(batches, most, 2)
    filled = torch.zeros(batches * most + 1, dtype=torch.bool)
    filled[places] = True
    return rows, filled[: batches * most].view(batches, most)


@case(inputs=[(noise(6, 2), torch.tensor([12])), (noise(6, 2), torch.tensor([3]))])
def at_most_what_no_memory_holds(x, count):
    """A size is tested against a number of elements that nobody could try."""
    size = count.item()
    torch._check(size <= 1000000007999999992)
    if size > 1000000000000:  # known
        return x  # never
    return x.reshape([-1])[:size] + torch.ones(size)
