"""Objects: plain classes, dataclasses, named tuples, enums, modules as values."""

import dataclasses
import enum
from typing import NamedTuple

import torch
from torch import nn

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, ZERO, case

BOTH = [(POSITIVE,), (NEGATIVE,)]
THREE = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


@dataclasses.dataclass
class Hypothesis:
    """A partial result of a search."""

    tokens: list
    score: float = 0.0
    done: bool = False
    parents: list = dataclasses.field(default_factory=list)

    @property
    def length(self):
        """How many tokens there are."""
        return len(self.tokens)

    def extended(self, token, score):
        """Return a longer hypothesis."""
        return Hypothesis(self.tokens + [token], self.score + score, parents=[self.length])


@case(inputs=THREE)
def dataclass_in_search(x):
    """A dataclass with default factory, property and methods is made and changed."""
    best = Hypothesis([0])
    for i in range(2):
        if x[i].sum() > 0:
            best = best.extended(i + 1, x[i, 0].item())
        else:
            best.done = True
    return best.tokens, best.score, best.done, best.length, best.parents


@case(inputs=BOTH, refused="DYCL001")
def dataclass_protocol(x):
    """replace, asdict, equality, ordering and frozen dataclasses."""

    @dataclasses.dataclass(frozen=True, order=True)
    class Size:
        """Two numbers."""

        height: int
        width: int = 2

    size = Size(3)
    if x.sum() > 0:
        size = dataclasses.replace(size, width=5)
    try:
        size.width = 9
    except dataclasses.FrozenInstanceError:
        frozen = True
    return (
        dataclasses.asdict(size),
        size == Size(3, 2),
        size > Size(3, 3),
        frozen,
        repr(Size(1))[-25:],
    )


class Step(NamedTuple):
    """What one decoding step gives."""

    logits: torch.Tensor
    token: int

    @property
    def is_last(self):
        """Whether decoding ends."""
        return self.token == 2


@case(inputs=THREE)
def named_tuples(x):
    """Fields, unpacking, index, property, _replace and comparison of a NamedTuple."""
    steps = [Step(row, int(row.argmax())) for row in x]
    logits, token = steps[0]
    if steps[1].is_last:
        steps[1] = steps[1]._replace(token=-1)
    return logits, token, steps[1][1], steps[0].is_last, len(steps[0]), Step._fields


class Meter:
    """Counts and averages, as training code does."""

    made = 0

    def __init__(self, name):
        self.name = name
        self.total, self.count = 0.0, 0
        self.history = []

    def update(self, value, n=1):
        """Add a value and return self for chaining."""
        self.total += value * n
        self.count += n
        self.history.append(value)
        return self

    @property
    def average(self):
        """The mean of the values."""
        return self.total / self.count if self.count else 0.0

    def __len__(self):
        return self.count

    def __bool__(self):
        return self.total > 0

    def __repr__(self):
        return f"Meter({self.name}, {self.count})"


@case(inputs=[*THREE, (ZERO - 1,)])
def plain_object(x):
    """A plain object with state, chained methods, property, len, truth and repr."""
    meter = Meter("score")
    other = meter
    for row in x:
        if row[0] > -0.9:
            meter.update(float(row.max())).update(1, n=2)
    return (
        meter.average,
        len(other),
        bool(meter),
        repr(meter),
        other.history,
        "yes" if meter else "no",
    )


class Mode(enum.Enum):
    """How to pool."""

    MEAN = "mean"
    MAX = "max"


@case(inputs=BOTH)
def enums(x):
    """Enum members: chosen at run time, compared, looked up by value, iterated."""
    mode = Mode.MEAN if x.sum() > 0 else Mode.MAX
    y = x.mean(0) if mode is Mode.MEAN else x.amax(0)
    return y, mode.value, mode.name, mode == Mode("mean"), [m.name for m in Mode]


@case(inputs=BOTH)
class ModulesAsArguments(nn.Module):
    """Modules passed to functions, kept in plain lists and dicts, reached by _modules."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 3)
        self.b = nn.Linear(3, 3)
        self.table = {"first": self.a, "second": self.b}
        self.plain = [self.b, torch.relu]

    @staticmethod
    def apply_all(layers, x):
        for layer in layers:
            if x.sum() > 0:
                x = layer(x)
        return x

    def forward(self, x):
        x = self.apply_all(self._modules.values(), x + 1)
        name = "first" if x.mean() > -0.5 else "second"
        x = self.table[name](x)
        return self.apply_all(self.plain, x), name


class Node:
    """A tree node as parsers give it."""

    def __init__(self, value, children=()):
        self.value = value
        self.children = list(children)


@case(inputs=[(LARGE,), (POSITIVE,), (ZERO,)])
def linked_objects(x):
    """A tree of objects that is built and walked within the call."""
    root = Node(x.sum().item(), [Node(1.0), Node(2.0, [Node(3.0)])])
    if root.value > 20:
        root.children[1].children.append(Node(root.value))
    if root.value == 0:
        root.children.clear()
    total, queue = 0.0, [root]
    while queue:
        node = queue.pop(0)
        total += node.value
        queue.extend(node.children)
    return total


@case(inputs=BOTH)
def class_attributes(x):
    """Class attributes are read through instances and shadowed by instance attributes."""

    class Options:
        """Defaults."""

        scale = 2
        names = ("a", "b")

    options = Options()
    if x.sum() > 0:
        options.scale = 5
    return x * options.scale, Options.scale, options.names[-1], Options().scale


@case(inputs=BOTH)
def setter_and_slots(x):
    """A property setter and __slots__."""

    class Clamped:
        """A number in bounds."""

        __slots__ = ("_value",)

        def __init__(self, value):
            self.value = value

        @property
        def value(self):
            return self._value

        @value.setter
        def value(self, new):
            self._value = min(max(new, 0), 10)

    number = Clamped(int(x.sum()))
    number.value += 5
    return number.value
