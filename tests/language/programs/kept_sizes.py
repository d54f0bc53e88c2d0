"""Kept tensors that grow from call to call; the inputs are calls on one instance, in order."""

import torch
from torch import nn

from tests.language.harness import case, noise

X = noise(1, 3)
ONES = torch.ones(1, 3)
CALLS = [(X * (-1) ** i + i,) for i in range(12)]


@case(inputs=CALLS)
class KeysAndValues(nn.Module):
    """Attention over all calls so far: keys and values grow without end"""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(3, 3) for _ in range(3))
        self.keys = None
        self.values = None

    def forward(self, x):
        key, value = self.key(x), self.value(x)
        if self.keys is None:
            self.keys, self.values = key, value
        else:
            self.keys = torch.cat([self.keys, key])
            self.values = torch.cat([self.values, value])
        weights = torch.softmax(self.query(x) @ self.keys.T, -1)
        return weights @ self.values if x.sum() > 0 else weights


@case(inputs=CALLS)
class InAList(nn.Module):
    """A pair in a list for each layer, as decoders keep them"""

    def __init__(self):
        super().__init__()
        self.past = [(torch.zeros(0, 3), torch.zeros(2, 0)) for _ in range(2)]

    def forward(self, x):
        if x.sum() > 0:
            for layer, (rows, columns) in enumerate(self.past):
                both = torch.cat([columns, x[:, :2].T], 1)
                self.past[layer] = (torch.cat([rows, x + layer]), both)
        return [(rows.sum(), columns.mean(1)) for rows, columns in self.past]


@case(inputs=[(ONES, 3), (-ONES, 2), (ONES, 0), (-ONES, 1), (ONES * 2, 5), (-ONES, 5)])
class AsLongAsANumber(nn.Module):
    """As many rows as a number of run time says; asked for its length, and written in place"""

    def __init__(self):
        super().__init__()
        self.kept = {"rows": torch.zeros(2, 3)}

    def forward(self, x, count):
        before = len(self.kept["rows"])
        if x.sum() > 0:
            self.kept["rows"] = x.repeat(count, 1)
        if before > 2:
            self.kept["rows"] = self.kept["rows"] * 2
            self.kept["rows"][0] += 1
        return self.kept["rows"], before


@case(inputs=[(X, 2), (X + 1, 3), (X, 0), (-X, 1), (X, 4)])
class RaisesBetween(nn.Module):
    """A call that raises leaves what was kept so far"""

    def __init__(self):
        super().__init__()
        self.rows = torch.zeros(1, 3)

    def forward(self, x, count):
        self.rows = torch.cat([self.rows, x.repeat(count, 1)])
        if count == 3:
            raise ValueError("three")
        self.rows = self.rows[1:]
        return self.rows.sum(0), self.rows[-1]


@case(inputs=[(torch.cat([X, X * i])[None],) for i in range(9)])
class PartsOfAProjection(nn.Module):
    """What the first call keeps are parts of one tensor; two rows come with each call"""

    def __init__(self):
        super().__init__()
        self.projection = nn.Linear(3, 9)
        self.keys, self.values = None, None

    def forward(self, x):
        query, keys, values = self.projection(x).chunk(3, -1)
        if self.keys is not None:
            keys = torch.cat([self.keys, keys], 1)
            values = torch.cat([self.values, values], 1)
        self.keys, self.values = keys, values
        weights = (query @ keys.transpose(1, 2)).softmax(-1)
        out = weights @ values
        return out[:, -1] if x[0, 1].sum() > x[0, 0].sum() * 3 else out[:, 0]


class _Cache:
    def __init__(self, rows):
        self.rows = rows
        self.seen = 0


@case(inputs=[(X, 2), (X, 1), (-X, 3), (X, 2)])
class InAnObject(nn.Module):
    """An object made in the first call holds it"""

    def __init__(self):
        super().__init__()
        self.cache = None

    def forward(self, x, count):
        if self.cache is None:
            self.cache = _Cache(x)
        if x.sum() > 0:
            self.cache.rows = torch.cat([self.cache.rows] * count)
            self.cache.seen += count
        return self.cache.rows, self.cache.seen


@case(inputs=[(X, 2), (X, 1), (-X, 3), (X, 2)])
class OfEachMask(nn.Module):
    """As many as a mask leaves"""

    def __init__(self):
        super().__init__()
        self.left = torch.arange(4.0)

    def forward(self, x, count):
        if x.sum() > 0:
            self.left = x[x > x.mean()]
        return self.left * count, self.left.numel()


@case(inputs=[(X, 2), (X, 1)], refused="DYCL067")
class Turned(nn.Module):
    """A turned tensor of a size known only at run time"""

    def __init__(self):
        super().__init__()
        self.columns = torch.zeros(3, 2)

    def forward(self, x, count):
        before = self.columns
        self.columns = x.repeat(count, 1).T
        return before  # <- refused


@case(inputs=CALLS, refused="DYCL067")
class OneMoreDimension(nn.Module):
    """A tensor that gets one more dimension with each call"""

    def __init__(self):
        super().__init__()
        self.rows = torch.zeros(1)

    def forward(self, x):
        self.rows = self.rows.unsqueeze(0)
        return x + self.rows.sum()  # <- refused


@case(inputs=[(x[:, None],) for (x,) in CALLS])
class KeysInATuple(nn.Module):
    """The keys are empty at first, in another number of dimensions, in a dict in a tuple"""

    def __init__(self):
        super().__init__()
        self.cache = (False, {"keys": torch.tensor([])})
        self.key = nn.Linear(3, 3)

    def forward(self, x):
        k = self.key(x)
        if self.cache[1]["keys"].numel() != 0:
            k = torch.cat((self.cache[1]["keys"], k), dim=1)
        self.cache[1]["keys"] = k
        return (k.sum(1) if x.sum() > 0 else -k.sum(1)), k.shape[1]
