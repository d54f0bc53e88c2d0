"""``__setattr__`` of the classes of a model's modules and objects, and those of object and nn.Module called by name."""

from dataclasses import dataclass

import torch
from torch import nn

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


class _Constants(nn.Module):
    def __setattr__(self, name, value):
        if name in ("limit", "is_sum"):  # known
            raise RuntimeError(f"Can't change const `{name}`.")
        super().__setattr__(name, value)


@case(inputs=BOTH)
class SomeNamesCannotBeWritten(_Constants):
    """A module's __setattr__ refuses some names and leaves the others to nn.Module's."""

    def __init__(self):
        super().__init__()
        self.count = 0
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x):
        self.count += 1
        if x.sum() > 0:
            self.total = self.total + x.sum(0)
        try:
            self.limit = x
        except RuntimeError as error:
            print(error)
        return self.total / self.count


@case(inputs=BOTH)
class SetByName(_Constants):
    """setattr() with the names that a loop gives, as metrics reset their states."""

    def __init__(self):
        super().__init__()
        self._defaults = {"low": torch.zeros(()), "high": torch.zeros(())}
        self.low = torch.zeros(())
        self.high = torch.zeros(())

    def forward(self, x):
        name = "high" if x[0, 0] > 0 else "low"
        setattr(self, name, getattr(self, name) + x.sum())
        got = torch.stack([self.low, self.high])
        if x[1, 1] < -2:
            for each, default in self._defaults.items():  # known
                setattr(self, each, default.detach().clone())
        return got


@case(inputs=BOTH)
class AliasesAndProperties(nn.Module):
    """A __setattr__ that gives another name, and counts; a property's setter runs under it."""

    def __init__(self):
        super().__init__()
        self._scale = 1.0
        self.written = 0
        self.register_buffer("mean", torch.zeros(3))

    @property
    def scale(self):
        return self._scale

    @scale.setter
    def scale(self, value):
        self._scale = value * 2

    def __setattr__(self, name, value):
        if name == "average":  # known
            name = "mean"
        super().__setattr__(name, value)
        if "written" in self.__dict__:  # known
            super().__setattr__("written", self.written + 1)

    def forward(self, x):
        self.scale = self.scale + 0.5
        if x.sum() > 0:
            self.average = x.mean(0)
        return x * self.scale + self.mean, self.written


@case(inputs=[(POSITIVE,), (NEGATIVE,), (LARGE,)])
class KeepsTheLarger(nn.Module):
    """A __setattr__ that looks at the tensor that is stored, and may store nothing."""

    def __init__(self):
        super().__init__()
        self.best = None

    def __setattr__(self, name, value):
        before = getattr(self, name, None) if name == "best" else None
        if before is not None and value.sum() < before.sum():
            return
        super().__setattr__(name, value)

    def forward(self, x):
        self.best = x
        return self.best * 2


class _Doubling:
    def __init__(self):
        self.count = 1

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2)


@case(inputs=BOTH)
class ObjectsOfTheModel(nn.Module):
    """The __setattr__ of a plain object that the model holds."""

    def __init__(self):
        super().__init__()
        self.counter = _Doubling()

    def forward(self, x):
        if x.sum() > 0:
            self.counter.count += 1
        return x * self.counter.count


@dataclass(frozen=True)
class _Frozen:
    steps: int = 0

    def step(self):
        object.__setattr__(self, "steps", self.steps + 1)


@case(inputs=BOTH)
class FrozenButForItself(nn.Module):
    """object.__setattr__ writes into a frozen dataclass that the model holds."""

    def __init__(self):
        super().__init__()
        self.state = _Frozen()

    def forward(self, x):
        if x.sum() > 0:
            self.state.step()
        try:
            self.state.steps = 9
        except AttributeError as error:
            print(type(error).__name__, error)
        return x * self.state.steps


@case(inputs=BOTH)
class CalledByName(nn.Module):
    """nn.Module.__setattr__ and object.__setattr__ of the model itself, called by name."""

    def __init__(self):
        super().__init__()
        self.count = 0
        self.last = torch.zeros(3)

    def forward(self, x):
        super().__setattr__("count", self.count + 1)
        nn.Module.__setattr__(self, "last", self.last + x.sum(0))
        object.__setattr__(self, "twice", self.count * 2)
        return self.last * self.twice


@case(inputs=BOTH, refused="DYCL043")
class NotRegistered(nn.Module):
    """object.__setattr__ stores a module beside the registered one of that name."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.other = nn.Linear(3, 3)

    def forward(self, x):
        object.__setattr__(self, "linear", self.other)  # <- refused
        return self.linear(x)


class _Slots:
    __slots__ = ("x",)

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


@case(inputs=BOTH)
class OtherThanSlots(nn.Module):
    """A name that a class with slots does not have."""

    def __init__(self):
        super().__init__()
        self.slots = _Slots()
        self.slots.x = 1

    def forward(self, x):
        self.slots.x += 1
        try:
            self.slots.y = 2
        except AttributeError:
            print("no y")
        return x * self.slots.x


class _SetsOthers:
    __slots__ = ("x",)
    of_class = 1

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2)


@case(inputs=BOTH)
def slots_of_an_object_made_in_the_call(x):
    """object.__setattr__ of an object made in the call: its class has no other slots, and one attribute."""
    made, said = _SetsOthers(), []
    made.x = x
    for name in ("y", "of_class"):
        try:
            setattr(made, name, 1)
        except AttributeError as error:
            said.append(str(error))
    return made.x + made.of_class, said


class _Counted:
    count = 0


@case(inputs=BOTH, refused="DYCL043")
def attribute_of_a_class_by_name(x):
    """type.__setattr__ is no call for compile time."""
    type.__setattr__(_Counted, "count", 0)  # <- refused
    return x + _Counted.count


@case(inputs=BOTH, refused="DYCL043")
def attribute_of_a_module_by_name(x):
    """Nor is that of a Python module: it was deleted."""
    torch.__delattr__("no_such_name")  # <- refused
    return x  # never


class _Made:
    pass


@case(inputs=BOTH, refused="DYCL043", messages=False)
def written_by_name_without_a_value(x):
    """What Python does not take is refused at its place."""
    made = _Made()
    if x.sum() > 1000:  # known
        object.__setattr__(made, "a")  # never  # <- refused
    return x
