"""Classes defined inside of functions."""

import enum
import math
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor, nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


@case(inputs=ROWS)
def a_node(x):
    """A dataclass whose methods make more of its kind."""

    @dataclass
    class Node:
        """A tensor, and how deep it is."""

        value: Tensor
        depth: int = 0
        path: list = field(default_factory=list)

        def grown(self):
            """Return the node below."""
            return Node(self.value * 2, self.depth + 1, [*self.path, self.depth])

    node = Node(x)
    while node.value.abs().sum() < 50:
        node = Node(node.value * 2, node.depth + 1)
    below = node.grown()
    return below.value, below.depth, below.path, isinstance(below, Node), Node.__name__


@case(inputs=ROWS)
class Scaling(nn.Module):
    """A module made in the call, which uses the model it is made in, and one of its base."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        class Scale(nn.Module):
            def __init__(inner, by):
                super().__init__()
                inner.by = by

            def forward(inner, x):
                return self.layer(x) * inner.by if x.sum() > 0 else x

        class Shift(Scale):
            def forward(inner, x):
                return super().forward(x) + math.pi

        return Scale(3)(x), nn.Sequential(Shift(2), nn.ReLU())(x)


@case(inputs=ROWS)
def other_kinds(x):
    """Enumerations, named tuples, exceptions, and plain classes with properties."""

    class Mode(enum.Enum):
        UP = 1
        DOWN = 2

    class Pair(NamedTuple):
        first: Tensor
        mode: Mode = Mode.UP

    class Stop(Exception):
        pass

    class Counter:
        start = 5

        def __init__(self):
            self.count = self.start

        @property
        def twice(self):
            return self.count * 2

        @staticmethod
        def named(name="count"):
            return name

    counter = Counter()
    pair = Pair(x, Mode.UP if x.sum() > 0 else Mode.DOWN)
    try:
        counter.count += 1
        if pair.mode is Mode.DOWN:
            raise Stop("down")
    except Stop as error:
        return x, str(error), counter.twice, Counter.named()
    return pair.first + 1, pair.mode.name, counter.twice, Counter.named("x")


def made_twice(x):
    """Return an object of a class of its own, and whether the last one is of it, too."""

    class Own:
        def __init__(self, value):
            self.value = value

    return Own(x), Own


@case(inputs=ROWS)
def two_classes(x):
    """Each call of a function makes another class."""
    first, kind = made_twice(x)
    second, other = made_twice(x * 2)
    return first.value + second.value, isinstance(first, other), kind is other, type(first) is kind


@case(inputs=ROWS, refused="DYCL001")
def reads_a_tensor(x):
    """A method that reads a run-time value of the function around it."""

    class Adding:  # <- refused
        def __call__(self, other):
            return other + x

    return Adding()(x)


@case(inputs=ROWS, refused="DYCL001")
def reads_what_changes(x):
    """A method that reads a variable which is bound again afterwards."""
    factor = 2

    class Scaling:  # <- refused
        def __call__(self, other):
            return other * factor

    factor = 3
    return Scaling()(x)


@case(inputs=ROWS, refused="DYCL001")
def in_a_loop(x):
    """A class in a loop is another one in each turn."""
    kinds = []
    for _ in range(2):

        class Own:  # <- refused
            pass

        kinds.append(Own)
    return x, kinds[0] is kinds[1]


@case(inputs=ROWS, refused="DYCL001")
def with_effects(x):
    """A body that computes something, once for each call."""

    class Drawn:  # <- refused
        value = torch.randn(3)

    return x + Drawn.value


@case(inputs=ROWS, refused="DYCL001")
def with_a_default(x):
    """A method whose default value is a tensor of the call."""

    class Holding:  # <- refused
        def held(self, y=x):
            return y

    return Holding().held()


@case(inputs=ROWS, may_refuse=True)
def returned(x):
    """An instance of such a class is a result."""

    @dataclass
    class Output:
        logits: Tensor
        depth: int = 0

    return Output(x * 2, 1 if x.sum() > 0 else 0)


@case(inputs=ROWS, may_refuse=True)
def leaves_with_an_error(x):
    """An exception of such a class leaves the program."""

    class Stop(ValueError):
        pass

    if x.sum() > 0:
        raise Stop("up")
    return x


@case(inputs=ROWS, may_refuse=True)
def in_a_list_of_run_time(x):
    """Instances in a list whose length is known at run time only."""

    class Item:
        def __init__(self, number):
            self.number = number

    items = [Item(number) for number in x.flatten().tolist() if number > 0]
    return x, sum(item.number for item in items)


@case(inputs=ROWS)
class Rounding(nn.Module):
    """An autograd function made in the call, which reads what is known."""

    def __init__(self):
        super().__init__()
        self.limit = 1.0

    def forward(self, x):
        limit = self.limit

        class Rounded(torch.autograd.Function):
            @staticmethod
            def forward(ctx, value, scale):
                ctx.save_for_backward(value)
                return (value > limit).float() * scale if value.sum() > 0 else value.sign()

            @staticmethod
            def backward(ctx, grad):  # never
                return grad, None  # never

        rounded = Rounded.apply
        y = rounded(x, 2)
        return y if x[0, 0] > 0 else rounded(y, x.sum().item())


@case(inputs=ROWS)
def properties_that_are_set(x):
    """Properties with setters"""

    class Gauge:
        def __init__(self):
            self.kept = 0.0
            self.missed = 0

        @property
        def level(self):
            return self.kept

        @level.setter
        def level(self, value):
            if value < 0:
                raise ValueError("below")
            self.kept = value

    gauge = Gauge()
    for value in x.flatten().tolist():
        try:
            gauge.level = value
        except ValueError:
            gauge.missed += 1
    return gauge.level, gauge.missed


@case(inputs=ROWS, refused="DYCL001")
def setter_of_something_else(x):
    """A decorator that is no property of the class"""

    class Odd:  # <- refused
        @ROWS.setter  # never
        def level(self, value):  # never
            self.kept = value  # never

    return Odd, x  # never


@case(inputs=ROWS)
def methods_that_call_modules(x):
    """Methods call functions of what the file imports: `torch.relu`, `math.floor`"""

    class Half(torch.autograd.Function):
        @staticmethod
        def forward(ctx, y):
            while torch.max(y) > 1:
                y = torch.relu(y) / 2
            return y

        @staticmethod
        def backward(ctx, gradient):  # never
            return gradient  # never

    @dataclass
    class Level:
        """What it says"""

        rows: Tensor
        step: float = 0.05

        def of(self, place):
            value = math.floor(torch.mean(self.rows[place]).item() / self.step)
            return value if value > 0 else -value

    level = Level(Half.apply(x * 2))
    if x.sum() > 0:
        level.step = math.sqrt(0.01)
    return [level.of(place) for place in range(x.shape[0])], level.rows
