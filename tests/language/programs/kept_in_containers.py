"""Tensors in containers of the model, written in place: the containers hold what was written."""

import collections

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

SERIES = [(POSITIVE,), (NEGATIVE,), (POSITIVE,), (MIXED,), (NEGATIVE,)]

_Pair = collections.namedtuple("_Pair", "fast slow")


class _Holding(nn.Module):
    """Has tensors in a list, a dict, tuples, a deque and an object."""

    def __init__(self):
        super().__init__()
        self.rows = [torch.zeros(2, 3), torch.ones(2, 3)]
        self.table = {"h": torch.zeros(2, 3), "g": torch.ones(2, 3)}
        self.pair = _Pair(torch.zeros(2, 3), torch.ones(2, 3))
        self.nested = {"all": ([torch.zeros(2, 3), torch.ones(2, 3)], 1)}
        self.queue = collections.deque([torch.zeros(2, 3)])


@case(inputs=SERIES)
class ListAsWhole(_Holding):
    """A list is stacked, added up, joined and unpacked after one of its tensors is written."""

    def forward(self, x):
        self.rows[0].add_(x)
        total = sum(self.rows) if x.sum() > 0 else torch.cat([*self.rows])
        return torch.stack(self.rows), total, (self.rows + [x])[0] * 1, max(self.rows, key=len) * 1


@case(inputs=SERIES)
class DictAsWhole(_Holding):
    """Values, items and keywords of a dict; its copies"""

    def _difference(self, h, g):
        return h - g

    def forward(self, x):
        self.table["h"].add_(x)
        y = sum(self.table.values()) if x.sum() > 0 else self._difference(**self.table)
        return y, [v * 2 for _, v in self.table.items()], {**self.table}["h"] * 1


@case(inputs=SERIES, at_end=True)
class ItsCopiesAreGivenBack(_Holding):
    """What copies of a list or dict hold is what later calls write"""

    def forward(self, x):
        self.table["h"].add_(x)
        self.rows[0].sub_(x)
        kept = list(self.table.values()) if x.sum() > 0 else self.rows[:1]
        return kept, dict(self.table)["h"]


@case(inputs=SERIES)
class Tuples(_Holding):
    """Named tuples, and containers within containers"""

    def forward(self, x):
        self.pair.fast.add_(x)
        self.nested["all"][0][1].mul_(x)
        y = torch.stack(self.pair) if x.sum() > 0 else torch.stack(self.nested["all"][0])
        return y, self.pair._replace(slow=x).fast * 1, sum(sum(v[0]) for v in self.nested.values())


@case(inputs=SERIES)
class Deques(_Holding):
    """A deque, and a number that is kept beside a tensor in a dict"""

    def forward(self, x):
        self.queue[0].add_(x)
        self.table["h"].add_(x)
        self.table["calls"] = self.table.get("calls", 0) + 1
        y = torch.stack(list(self.queue)) if x.sum() > 0 else x
        return y, self.table["calls"], list(self.table.values())[0] * 1


@case(inputs=SERIES)
class InLoopsAndBranches(_Holding):
    """Which of the tensors is written depends on the input, and how often"""

    def forward(self, x):
        for _ in range(int(x.abs().sum()) // 4):
            self.rows[0].add_(torch.stack(self.rows).mean(0) + x)
        if x.sum() > 0:
            self.rows[1].sub_(x)
        for row in self.rows:
            row.mul_(0.5)
        return torch.stack(self.rows)


@case(inputs=SERIES, at_end=True)
class OnePathAlone(_Holding):
    """A conditional expression writes, and a part of the list is given back"""

    def forward(self, x):
        self.rows[0].add_(x) if x.sum() > 0 else self.rows[1].sub_(x)
        return torch.stack(self.rows), self.rows[0]


@case(inputs=SERIES)
class Parameters(nn.Module):
    """A parameter list is walked after one of its parameters is written"""

    def __init__(self):
        super().__init__()
        self.weights = nn.ParameterList([torch.zeros(2, 3), torch.ones(2, 3)])

    def forward(self, x):
        self.weights[0].data.add_(x)
        y = sum(self.weights) if x.sum() > 0 else x
        return y, torch.stack(list(self.weights))


@case(inputs=SERIES, refused="DYCL034")
class ItselfGivenBack(_Holding):
    """The list itself is given back, whose tensors later calls would write: refused"""

    def forward(self, x):
        self.rows[0].add_(x)  # <- refused
        return self.rows if x.sum() > 0 else []
