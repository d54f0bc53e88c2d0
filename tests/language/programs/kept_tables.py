"""Dicts of the model that get run-time keys: caches, counts, groups, kept from call to call."""

from collections import Counter, OrderedDict, defaultdict

import torch
from torch import nn

from tests.language.harness import case


def _row(*numbers):
    return (torch.tensor(numbers),)  # at import


CALLS = [_row(1.0, 2.0, 3.0), _row(-1.0, 2.0, -3.0), _row(0.0, 0.0, 0.0), _row(5.0, -2.0, 2.5)]
CALLS += [_row(3.0, 3.0, 3.0), _row(1.0, 2.0, 3.0), _row(1.0, 0.0, 1.0)]


class _Table(nn.Module):
    made = dict

    def __init__(self):
        super().__init__()
        self.table = type(self).made()


@case(inputs=CALLS)
class Weights(_Table):
    """A defaultdict of numbers is asked for run-time keys, which it then has."""

    def made():
        return defaultdict(float, {1: 2.0, 2: 0.5})

    def forward(self, x):
        return x * self.table[int(x[0].item())], len(self.table)


@case(inputs=CALLS)
class MadeByAFunction(_Table):
    """The function of a defaultdict makes what is missing; it is counted on."""

    def made():
        return defaultdict(lambda: 7)

    def forward(self, x):
        key = int(x[0].item())
        before = self.table[key]
        self.table[key] += 1
        return before, sorted(self.table.items()), key in self.table


@case(inputs=CALLS)
class Counts(_Table):
    """A Counter that is only asked has 0 for what is missing, and stays as it is."""

    def made():
        return Counter([1, 1, 2, 3])

    def forward(self, x):
        total = sum(self.table[int(v)] for v in x.tolist())
        return x * total, self.table[77], self.table[1], self.table.total()


@case(inputs=CALLS)
class Counted(_Table):
    """A Counter counts from call to call."""

    made = Counter

    def forward(self, x):
        for value in x.tolist():
            self.table[int(value)] += 1
        self.table.subtract([3])
        return x * self.table[3], self.table.most_common(1), sorted(self.table.items())


@case(inputs=CALLS)
class CountsOfWords(_Table):
    """update() and subtract() of a Counter of the model change it in each call."""

    def made():
        return Counter("ab")

    def forward(self, x):
        self.table.update(["a" if value > 0 else "z" for value in x.tolist()])
        self.table.subtract(["b"])
        return self.table["a"], self.table.total()


@case(inputs=CALLS)
class Groups(_Table):
    """A defaultdict of lists."""

    def made():
        return defaultdict(list)

    def forward(self, x):
        for index, value in enumerate(x.tolist()):
            self.table[int(value)].append(index)
        keys = sorted(self.table)
        return len(self.table), keys, [list(self.table[key]) for key in keys]


@case(inputs=CALLS)
class Viewed(_Table):
    """A known dict gets a run-time key, and is seen by its views."""

    def made():
        return {0: 1.0, 1: 2.0}

    def forward(self, x):
        keys = self.table.keys()
        self.table[int(x[0].item())] = x[1].item()
        return len(keys), sorted(keys), sum(self.table.values()), list(self.table.items())


@case(inputs=CALLS)
class Cache(_Table):
    """What was computed for a key is there in a later call, which may not know it at first."""

    def forward(self, x):
        key = int(x[0].item())
        if key in self.table:
            return self.table[key]
        self.table[key] = x * 2
        return x


@case(inputs=CALLS)
class LeastRecentlyUsed(_Table):
    """An OrderedDict that keeps the two keys used last."""

    made = OrderedDict

    def forward(self, x):
        key = int(x[0].item())
        if key in self.table:
            self.table.move_to_end(key)
        else:
            self.table[key] = x.sum().item()
            if len(self.table) > 2:
                self.table.popitem(last=False)
        return self.table[key], list(self.table)


@case(inputs=CALLS)
class KeysOfTexts(_Table):
    """Keys that are texts of run time."""

    def forward(self, x):
        key = f"step {int(x[0].item())}"
        self.table[key] = self.table.get(key, 0) + 1
        return self.table[key], list(self.table.items())


@case(inputs=CALLS)
class KeysOfTuples(_Table):
    """Keys that are tuples, one of them known; what is there is deleted."""

    def made():
        return {(0, 0): 1.0}

    def forward(self, x):
        key = (int(x[0].item()), int(x[1].item()))
        if key in self.table:
            del self.table[key]
        else:
            self.table[key] = x[2].item()
        return len(self.table), sum(self.table.values())


@case(inputs=CALLS)
class BoundAnew(_Table):
    """An attribute gets a new dict in each call."""

    def forward(self, x):
        table = dict(self.table)
        table[int(x[0].item())] = 1.5
        self.table = table
        return len(self.table)


@case(inputs=CALLS)
class InAnotherDict(_Table):
    """A dict with run-time keys in a dict with known ones."""

    def made():
        return {"hits": {}, "calls": 0}

    def forward(self, x):
        self.table["calls"] += 1
        hits = self.table["hits"]
        hits[int(x[0].item())] = self.table["calls"]
        return self.table["calls"], sorted(hits.items())


@case(inputs=CALLS)
class BeforeAnError(_Table):
    """What was put in before an error stays there."""

    def forward(self, x):
        self.table[int(x[0].item())] = 1
        if x[1] < 0:
            raise ValueError(len(self.table))
        return len(self.table)


@case(inputs=CALLS)
class DictsInADict(_Table):
    """Dicts with certain keys are kept under run-time keys."""

    def forward(self, x):
        self.table[int(x[0].item())] = {"sum": x.sum().item(), "n": 1}
        return len(self.table), sum(each["sum"] for each in self.table.values())


@case(inputs=CALLS)
class OfKnownTuples(_Table):
    """Tables that a first call fills under tuples, as caches of indices do."""

    def forward(self, x):
        for step in (1, -2):
            if (step, ("by", None)) not in self.table:
                self.table[step, ("by", None)] = torch.arange(3) * step
            x = x + self.table[step, ("by", None)]
        if x.shape not in self.table:
            self.table[x.shape] = x.sum().item()
        return x, self.table[x.shape]


@case(inputs=CALLS)
class KeysKnownOnEachPath(_Table):
    """Keys that are known, of which each call adds some: there are many combinations of them"""

    def forward(self, x):
        for i, name in enumerate(("a", "b", "c")):
            if x[i] > 0:
                self.table[name] = self.table.get(name, 0) + 1
            elif x[i] < 0:
                self.table.pop(name, None)
        return dict(self.table), list(self.table), sum(self.table.values())


@case(inputs=CALLS)
class GroupsByKnownNames(_Table):
    """A defaultdict of lists under one of two names"""

    made = staticmethod(lambda: defaultdict(list))

    def forward(self, x):
        total = x.sum().item()
        key = "high" if total > 1 else "low"
        self.table[key].append(total)
        return len(self.table[key]), {name: list(each) for name, each in self.table.items()}


@case(inputs=CALLS)
class TensorsByKnownNames(_Table):
    """A cache of tensors that is emptied"""

    def forward(self, x):
        key = "up" if x.sum() > 4 else "down" if x.sum() < 0 else "level"
        if x[0] > 4:
            self.table.clear()
        if key in self.table:
            return self.table[key] * 2, len(self.table)
        self.table[key] = x * 3
        return x, len(self.table)


@case(inputs=CALLS, refused="DYCL067")
class KeysOfOtherThings(_Table):
    """A number beside tensors: they are not alike"""

    def forward(self, x):
        self.table["count"] = self.table.get("count", 0) + 1
        for i, name in enumerate(("a", "b", "c")):
            if x[i] > 0:
                self.table[name] = x
            elif name in self.table:
                del self.table[name]
        return self.table["count"]  # <- refused


@case(inputs=CALLS, refused="DYCL067")
class OfNoNumber(_Table):
    """NaN is found in a dict as the same object only, which is another one in the next call."""

    def forward(self, x):
        key = (1, float("nan"))
        if key not in self.table:  # known
            self.table[key] = x.sum().item()
        return self.table[key]  # <- refused


@case(inputs=CALLS, refused="DYCL067")
class SetOfNoNumber(_Table):
    """So it is in a set that is kept."""

    made = set

    def forward(self, x):
        self.table.add(float("nan"))
        self.table.add(7)
        return len(self.table)  # <- refused


_COUNTS = defaultdict(int)


@case(inputs=[(x, not number) for number, (x,) in enumerate(CALLS)])
def of_the_file(x, first):
    """A defaultdict of the file grows for the next call"""
    if first:
        _COUNTS.clear()
    return x * (_COUNTS[int(x[0].item())] + len(_COUNTS))
