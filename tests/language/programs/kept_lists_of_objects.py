"""Lists and dicts of objects that calls put into them, kept from one call to the next."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import nn

from tests.language.harness import case


def _row(*numbers):
    return (torch.tensor(numbers, dtype=torch.float32),)  # at import


ROWS = [_row(3, 1, 2), _row(-2, 5, 2), _row(3, 0, 0), _row(2, -5, 2), _row(-7, 1, 2)]


class State:
    """What a step leaves."""

    def __init__(self, hidden, number):
        self.hidden = hidden
        self.number = number

    @property
    def twice(self):
        return self.number * 2


@dataclass
class Entry:
    """What is known of a key."""

    value: torch.Tensor
    hits: int = 0


class _History(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.history = []
        self.others = []
        self.table = {}
        self.last = None


@case(inputs=ROWS)
class History(_History):
    """Each call appends an object; all of them are read."""

    def forward(self, x):
        hidden = self.linear(x)
        self.history.append(State(hidden, len(self.history)))
        return sum(each.hidden * each.number for each in self.history) + hidden


@case(inputs=[_row(-9, 1, 2), *ROWS])
class OnSomePaths(_History):
    """Some calls append; old ones are dropped; attributes and properties are read."""

    def forward(self, x):
        if x.sum() > 2:
            self.history.append(State(self.linear(x), x[0].item()))
        if len(self.history) > 2:
            self.history.pop(0)
        if self.history:
            best = max(self.history, key=lambda each: each.number)
            return best.hidden + x, best.twice
        return x, 0.0


@case(inputs=ROWS)
class WrittenByAnyName(_History):
    """One object is in the list twice; what is written shows in both places, and later."""

    def forward(self, x):
        state = State(x, 1)
        self.history.append(state)
        self.history.append(state)
        self.history[0].number += 1
        state.number += 2
        state.hidden = state.hidden + 1
        numbers = [each.number for each in self.history]
        return numbers, self.history[0].hidden, self.history[-1] is self.history[-2]


@case(inputs=ROWS)
class Table(_History):
    """A dict of objects by numbers of run time, which later calls write."""

    def forward(self, x):
        key = int(x[0].item())
        if key not in self.table:
            self.table[key] = Entry(self.linear(x))
        entry = self.table[key]
        entry.hits += 1
        entry.value = entry.value * 0.5 + x
        return entry.value, entry.hits, len(self.table)


@case(inputs=ROWS)
class Dicts(_History):
    """Dicts with certain keys; tuples in them."""

    def forward(self, x):
        self.history.append({"hidden": self.linear(x), "place": (len(self.history), x[0].item())})
        return torch.stack([each["hidden"] * each["place"][1] for each in self.history]).sum(0)


@case(inputs=ROWS, refused="DYCL067")
class InTwoLists(_History):
    """What is written by one list may have to suit the other."""

    def forward(self, x):
        state = State(x, 1)
        self.history.append(state)
        self.others.append(state)
        self.others[0].number += 1
        return self.history[0].number, len(self.others)  # <- refused


@case(inputs=ROWS, refused="DYCL067")
class OutsideOfTheList(_History):
    """An object of the list is kept by another name, too."""

    def forward(self, x):
        self.history.append(State(x, 1))
        if self.last is not None:
            self.last.number += 1
        self.last = self.history[-1]
        return self.history[0].number  # <- refused


@case(inputs=ROWS, refused="DYCL073")
class OfAnotherType(_History):
    """A later call stores something else in an attribute."""

    def forward(self, x):
        self.history.append(State(x, 1))
        if len(self.history) > 2:
            self.history[0].number = 0.5  # <- refused
        return sum(each.number for each in self.history)


@case(inputs=ROWS, refused="DYCL034")
class TensorsWritten(_History):
    """A tensor of an object is written in place, which others may hold."""

    def forward(self, x):
        self.history.append(State(x * 1, 1))
        self.history[0].hidden.add_(1)  # <- refused
        return self.history[0].hidden + 0


@case(inputs=ROWS)
class ReadBeforeAnyIsThere(_History):
    """The first call walks over none; each number that no object has gets one, others count on."""

    def forward(self, x):
        before = sum(each.number for each in self.history)
        for row in x[:2]:
            found = None
            for place, each in enumerate(self.history):
                if each.number == int(row.item()):
                    found = place
            if found is None:
                self.history.append(State(row * 2, int(row.item())))
            else:
                self.history[found].hidden = row + 1
        return before, [each.number for each in self.history], self.history[-1].hidden


@dataclass
class Track:
    """What is known of something that is followed; fields in no order of their names."""

    number: int
    box: torch.Tensor
    age: int = 0

    def nearness(self, box):
        """Return how near a box is."""
        return 1.0 / (1.0 + float((self.box - box).abs().sum()))


@case(inputs=[(torch.tensor(rows),) for rows in (
    [[0.0, 0.0, 2.0, 2.0], [5.0, 5.0, 7.0, 7.0]], [[0.0, 0.25, 2.0, 2.0], [9.0, 9.0, 10.0, 10.0]],
    [[5.0, 5.25, 7.0, 7.0], [0.0, 0.0, 2.0, 2.0]], [[20.0] * 4, [30.0] * 4], [[30.0] * 4, [0.0] * 4])])
class Tracker(nn.Module):
    """Each box goes on a track that is near, or begins one; old ones are lost."""

    def __init__(self):
        super().__init__()
        self.tracks = []
        self.next = 0
        self.lost = set()

    def forward(self, boxes):
        """Return the number of each box's track."""
        numbers = []
        for box in boxes:
            best, most = None, 0.3
            for place, track in enumerate(self.tracks):
                near = track.nearness(box)
                if near > most:
                    best, most = place, near
            if best is None:
                self.tracks.append(Track(self.next, box * 1))
                numbers.append(self.next)
                self.next += 1
            else:
                self.tracks[best].box = box * 1
                self.tracks[best].age = 0
                numbers.append(self.tracks[best].number)
        for track in self.tracks:
            track.age += 1
            if track.age > 2:
                self.lost.add(track.number)
        return numbers, len(self.tracks), sorted(self.lost)


class Seen(NamedTuple):
    """What a call has seen: it cannot be changed."""

    feature: torch.Tensor
    age: int = 0

    def score(self):
        return self.feature.sum().item() / (self.age + 1)


class Known(NamedTuple):
    """Another kind."""

    feature: torch.Tensor
    age: int


@case(inputs=[_row(-9, 1, 2), *ROWS, *ROWS])
class NamedTuplesReplaced(_History):
    """Named tuples grow older by ``_replace``; old ones are left out; the best is unpacked."""

    def forward(self, x):
        for place in range(len(self.history)):
            self.history[place] = self.history[place]._replace(age=self.history[place].age + 1)
        if x.sum() > 2:
            self.history.append(Seen(feature=self.linear(x)))
        self.history = [seen for seen in self.history if seen.age < 3]
        best = max(self.history, key=lambda seen: seen.score(), default=None)
        if best is None:
            return x, -1
        feature, age = best
        return feature * age, len(self.history)


@case(inputs=[_row(-9, 1, 2), *ROWS])
class NamedTuplesReturned(_History):
    """They leave as what they are, alone and together."""

    def forward(self, x):
        if x.sum() > 2:
            self.history.insert(0, Seen(x * 2, int(x.sum())))
        if not self.history:
            return None
        return self.history[-1], list(self.history), [type(s) is Seen for s in self.history]


@case(inputs=[*ROWS, *ROWS])
class NamedTuplesInADict(_History):
    """Found by numbers of run time."""

    def forward(self, x):
        key = int(x[0])
        if key in self.table:
            self.table[key] = self.table[key]._replace(feature=self.table[key].feature + x)
        else:
            self.table[key] = Seen(x * 1.0, key)
        return self.table[key], sorted(self.table)


@case(inputs=ROWS)
class ResultsOfTorchKept(_History):
    """What ``max`` gives is such a tuple of PyTorch's."""

    def forward(self, x):
        self.history.append(x.max(0))
        return [found.values * 2 for found in self.history], self.history[0].indices


@case(inputs=ROWS, refused="DYCL067")
class TwoKindsOfNamedTuples(_History):
    """Which kind an element is would be known only at run time."""

    def forward(self, x):
        kind = Seen if x.sum() > 2 else Known
        self.history.append(kind(x * 1.0, 1))
        return len(self.history)  # <- refused


@case(inputs=ROWS, refused="DYCL034")
class NamedTuplesTensorsWritten(_History):
    """Whoever got the tensor would see that."""

    def forward(self, x):
        self.history.append(Seen(x * 1.0))
        self.history[0].feature.add_(1)  # <- refused
        return x


class Scored(NamedTuple):
    """A tensor and how good it is."""

    box: torch.Tensor
    score: float


class Worded(NamedTuple):
    """A word and a number."""

    word: str
    number: int


@case(inputs=ROWS)
class FilledWithNamedTuples(nn.Module):
    """A list and a dict may hold named tuples before the first call."""

    def __init__(self):
        super().__init__()
        self.history = [Scored(torch.zeros(3), 0.5)]
        self.words = {"first": Worded("a", 1)}

    def forward(self, x):
        number = int(x.sum())
        if number > 0:
            self.history.append(Scored(x, float(number)))
        self.words[f"w{number}"] = Worded("b", number)
        best = max(self.history, key=lambda each: each.score)
        words = [each.word for each in self.words.values()]
        return best.box, len(self.history), words, self.history[-1].score


@case(inputs=ROWS)
class BestOfNamedTuples(nn.Module):
    """An attribute that is one before the first call, given back and changed by name."""

    def __init__(self):
        super().__init__()
        self.best = Scored(torch.zeros(3), 0.0)

    def forward(self, x):
        score = float(x.sum())
        if score > self.best.score:
            self.best = Scored(x, score)
        return self.best, self.best._replace(score=1.0)


@case(inputs=ROWS, refused="DYCL065")
class GivenBackAsTheyAre(nn.Module):
    """An earlier result would get what later calls append, each as an object of its class."""

    def __init__(self):
        super().__init__()
        self.history = []

    def forward(self, x):
        self.history.append(Worded("a", int(x.sum())))
        return self.history  # <- refused


@case(inputs=ROWS, refused="DYCL067")
class HoldsABuffer(nn.Module):
    """A list that grows would have a copy of a buffer that calls write."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))
        self.history = [self.total]

    def forward(self, x):
        self.total.add_(x)
        self.history.append(x)
        return [each + 0 for each in self.history]  # <- refused


@case(inputs=ROWS, refused="DYCL067")
class HeldABuffer(nn.Module):
    """So would a tuple that calls replace."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))
        self.best = (self.total, 0.0)

    def forward(self, x):
        self.total.add_(x)
        before = self.best[0] + 0
        if x.sum() > 0:
            self.best = (x, 1.0)
        return before  # <- refused
