"""Batches that examples leave: masks made more than once, and products over what is left."""

import torch
from torch import nn

from tests.language.harness import case, noise

SIZES = (4, 5, 8)
PICTURES = [(noise(*SIZES),), (-noise(*SIZES).abs(),), (noise(*SIZES).abs(),)]


class _Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(8, 8) for _ in range(3))

    def split(self, x):
        return x.view(*x.size()[:-1], 2, -1).permute(0, 2, 1, 3)

    def forward(self, x, mask):
        query, key, value = (self.split(f(x)) for f in (self.query, self.key, self.value))
        scores = torch.softmax(query @ key.transpose(-1, -2) / 2 + mask, -1)
        return x + (scores @ value).permute(0, 2, 1, 3).reshape(x.shape)


@case(inputs=[(noise(*SIZES), limit) for limit in (0.55, 0.5, 0.6, 0.65, 1.0)], slow=True)
class LeavingWhenSure(nn.Module):
    """What is decided leaves the batch; tokens and masks go on without it, layer by layer."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.ModuleList(_Attention() for _ in range(2))
        self.heads = nn.ModuleList(nn.Linear(8, 2) for _ in range(2))
        self.register_buffer("mask", torch.zeros(4, 1, 1, 5))

    def forward(self, x, limit):
        result, places, mask = torch.zeros(4, 2), torch.arange(4), self.mask
        for number, (layer, head) in enumerate(zip(self.layers, self.heads, strict=True)):
            x = layer(x, mask)
            chances = torch.softmax(head(x[:, 0]), -1)
            sure = chances.max(1)[0] > limit
            result[places[sure]] = chances[sure]
            x = x[~sure]
            mask = mask[~sure]
            if x.shape[0] == 0:
                break
            places = places[~sure]
        return result, number


@case(inputs=PICTURES)
def made_alike(x):
    """Masks that are made alike leave one number of rows."""
    sums = x.sum((1, 2))
    first, second = x[~(sums > 1)], (x * 2)[~sums.gt(1)]
    if len(first) == 0:
        return first
    return first + second, (x[sums.isfinite()] * 3)[sums > 1]


@case(inputs=PICTURES)
def changed_between(x):
    """A mask that is changed, or whose origin is, leaves another number of rows."""
    kept = x[:, 0, 0] > 0
    others = ~kept
    first = x[others]
    others[0] = False
    second = x[~kept]
    kept[1] = True
    return first, second, x[others], x[~kept], len(first) == len(second)


@case(inputs=PICTURES)
def changed_in_a_loop(x):
    """Each pass of a loop has a mask of its own."""
    kept, passes, rows = x[:, 0, 0] > 0, 0, 0
    while kept.any() and passes < 2:
        rows += len(x[~kept] + (x * 2)[~kept])
        kept = kept & (x[:, 1, 0] > passes * 0.3)
        passes += 1
    return x[~kept], rows


@case(inputs=PICTURES)
class StretchedProducts(nn.Module):
    """One matrix, or vector, is multiplied with each of a stack, which may be none."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.matrix = nn.Parameter(torch.randn(2, 5))
        self.vector = nn.Parameter(torch.randn(5))

    def forward(self, x):
        y = x[x[:, 0, 0] > 0]
        if x.sum() > 9:
            return self.vector @ y, y.mT @ self.vector
        return self.matrix @ y, self.matrix[None] @ y, y[:, None].mT @ self.matrix[None].mT


@case(inputs=PICTURES)
def rows_without_elements(x):
    """Products of rows without elements are zeros, as many as the larger stack has."""
    columns = x[0, 0] > 0
    return x[:1, :, columns] @ x[:, :, columns].mT, x[0][:, columns] @ x[:, :, columns].mT


@case(inputs=PICTURES)
class SumsWithWeights(nn.Module):
    """A sum of products of weights and of what may be nothing"""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.matrix = nn.Parameter(torch.randn(2, 5))

    def forward(self, x):
        return torch.einsum("ij,bjk->bik", self.matrix, x[x[:, 0, 0] > 0])
