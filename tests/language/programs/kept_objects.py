"""Objects that a model keeps from one call to the next."""

import collections
import dataclasses
import enum

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case
from tests.language.programs.kept_state import CALLS


class Memory:
    """A plain object of the model."""

    def __init__(self):
        self.slots = {"key": torch.zeros(3), "uses": 0}
        self.names = []

    def write(self, value):
        self.slots["key"] = self.slots["key"] + value
        self.slots["uses"] += 1
        self.names += [self.slots["uses"]]


@case(inputs=CALLS)
class PlainMemory(nn.Module):
    """A plain object of the model with a dict and a list that change."""

    def __init__(self):
        super().__init__()
        self.memory = Memory()

    def forward(self, x):
        if x.sum() > 0:
            self.memory.write(x.mean(0))
        return self.memory.slots["key"] * 1, self.memory.slots["uses"], len(self.memory.names)


class Narrow:
    """An object without a ``__dict__``, whose ``__getattr__`` makes up what it has not so far."""

    __slots__ = ("_total", "__uses", "__log", "seen")

    def __init__(self):
        self._total, self.__uses, self.__log = torch.zeros(3), 0, []

    def __getattr__(self, name):
        return len(name) - self.__uses

    def write(self, value):
        self._total = self._total + value
        self.__uses += 1
        self.__log.append(self.seen)
        self.seen = self.__uses
        return self.__log[-1], self.seen


@dataclasses.dataclass(slots=True)
class Holder:
    """Another one, that holds it under two names."""

    narrow: Narrow
    other: Narrow | None
    names: list = dataclasses.field(default_factory=list)


@case(inputs=CALLS)
class ObjectsWithSlots(nn.Module):
    """Objects whose class has __slots__, one in another, that change."""

    def __init__(self):
        super().__init__()
        narrow = Narrow()
        self.holder = Holder(narrow, narrow)

    def forward(self, x):
        holder = self.holder
        holder.names.append(holder.narrow.write(x.mean(0)))
        if x.sum() <= 0:
            holder.other = None
        return holder.narrow._total * 1, list(holder.names), holder.other is holder.narrow


class MakesUp:
    """An object whose ``__getattr__`` makes up what is written later."""

    def __init__(self):
        self.uses = 0

    def __getattr__(self, name):
        return name + str(self.__dict__.get("uses"))


@case(inputs=CALLS)
class AttributeMadeUpAndWritten(nn.Module):
    """What __getattr__ gives before an attribute is written is no value that it has."""

    def __init__(self):
        super().__init__()
        self.memory = MakesUp()

    def forward(self, x):
        before = self.memory.last
        self.memory.uses += 1
        between = self.memory.last
        self.memory.last = self.memory.uses
        return x * 1, before, between, self.memory.last


@case(inputs=CALLS)
class KeptObject(nn.Module):
    """An object that is made in one call and used in the next."""

    def __init__(self):
        super().__init__()
        self.found = None

    def forward(self, x):
        result = x
        if self.found is not None:
            result = result + self.found.value * self.found.weight
        self.found = Found(x * 3, 2)
        return result


class Found:
    """Made in a call."""

    def __init__(self, value, weight):
        self.value, self.weight = value, weight


@case(inputs=CALLS)
class InALoop(nn.Module):
    """The state changes in a loop of unknown length."""

    def __init__(self):
        super().__init__()
        self.turns, self.value = 0, torch.zeros(2, 3)

    def forward(self, x):
        while x.sum() > 1:
            x = x / 2
            self.turns += 1
            self.value = self.value + x
        return x, self.turns, self.value * 1


class Kind(enum.Enum):
    """What a step is counted as."""

    UP = 1
    DOWN = 2


@case(inputs=CALLS)
class KeyedByModules(nn.Module):
    """Modules and members of enumerations are keys of dicts that are kept"""

    def __init__(self):
        super().__init__()
        self.key, self.value = nn.Linear(3, 3), nn.Linear(3, 3)
        with torch.no_grad():
            for layer in (self.key, self.value):
                layer.weight.fill_(0.5)
                layer.bias.fill_(1.0)
        self.steps = {Kind.UP: 0, self.value: torch.zeros(2, 3)}

    def forward(self, x):
        layer = self.key if x.sum() > 0 else self.value
        self.steps[layer] = layer(x) + self.steps.get(layer, 0)
        if x[0, 0] > 0:
            self.steps[Kind.UP] += 1
        else:
            self.steps[Kind.DOWN] = x
        return list(self.steps.values()), self.key in self.steps, Kind.DOWN in self.steps


class Linked:
    """An object that leads to another one."""

    def __init__(self, content=None):
        self.content = content
        self.other = None


@case(inputs=CALLS, refused="DYCL067")
class LinkedInACircle(nn.Module):
    """Objects that lead to each other are kept"""

    def __init__(self):
        super().__init__()
        self.bank = []

    def forward(self, x):
        one, other = Linked(x), Linked()
        one.other, other.other = other, one
        self.bank.append(one)
        if x.sum() > 0:
            return x + len(self.bank)  # <- refused
        return x


@case(inputs=CALLS)
class LinkedByTwo(nn.Module):
    """An object that two others lead to is kept"""

    def __init__(self):
        super().__init__()
        self.last = None

    def forward(self, x):
        one, other, both = Linked(), Linked(), Linked(x)
        one.other, one.content, other.other = other, both, both
        y = x if self.last is None else self.last.other.other.content + x
        self.last = one
        return y if y.sum() > 0 else y - 1


@case(inputs=CALLS)
class ShownInACircle(nn.Module):
    """What the model never reads again may lead to itself"""

    def forward(self, x):
        one, other = Linked(x), Linked()
        one.other, other.other = other, one
        self.seen = one
        return x + 1 if x.sum() > 0 else x
