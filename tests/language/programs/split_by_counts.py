"""Tensors split into parts whose sizes the input decides: they add up, and no more is asked."""

import torch
from torch import nn

from tests.language.harness import case, noise

ROWS = [(noise(5, 4, seed=s) * 2,) for s in range(4)] + [(torch.ones(5, 4),)]


@case(inputs=ROWS, slow=True)
class SplitByCounts(nn.Module):
    """Rows are sorted by expert and split by how many each has; some have none."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 3)
        self.experts = nn.ModuleList([nn.Linear(4, 2) for _ in range(3)])

    def forward(self, x):
        chosen = self.gate(x).argmax(1)
        order = chosen.argsort(stable=True)
        counts = [(chosen == i).sum().item() for i in range(3)]
        parts = torch.split(x[order], counts)
        made = torch.cat([e(p) for e, p in zip(self.experts, parts, strict=True)])
        return torch.zeros(5, 2).index_add(0, order, made), counts


@case(inputs=ROWS, slow=True)
def split_of_what_a_mask_takes(x):
    """What a mask of pairs selects is split by column sums; equal parts and empty ones work."""
    mask = x > 0.5
    rows, columns = mask.nonzero().sort(0)[0].unbind(1)
    first, second, third, fourth = torch.split(x[rows], mask.sum(0).tolist())
    return first.sum(0), second.sum(0), third, fourth, columns


COUNTED = [(torch.arange(5.0), torch.tensor(c)) for c in ([2, 2, 1], [5, 0, 0], [0, 0, 5])]


@case(inputs=COUNTED, slow=True)
def reduced_unless_empty(x, counts):
    """Two tests for empty parts leave one size for the third: it is all that is split."""
    return [part.max() for part in torch.split(x, counts.tolist()) if len(part)]


@case(inputs=[(noise(4, 6), n) for n in (2, 5, 1, -1)], slow=True)
def expanded_to_what_is_left(x, n):
    """A size of -1 keeps what is there, which it does for one number only; others may not fit."""
    left = x[n:]
    if left.size(0) == 4 - n:
        return x[:, :2], 0
    return x[:, :1].expand(4, 4 - n), 1
