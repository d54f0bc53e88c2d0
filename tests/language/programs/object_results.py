"""Objects of user classes as results: named tuples, dataclasses, plain classes, nested"""

import argparse
from collections import namedtuple
from dataclasses import InitVar, dataclass, field
from types import SimpleNamespace
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from tests.language.harness import NEGATIVE, POSITIVE, ZERO, case

Pair = namedtuple("Pair", ["first", "second"])


class Scores(NamedTuple):
    """What a classifier gives."""

    logits: Tensor
    confidence: float = 0.0
    label: int | None = None


@dataclass
class Output:
    """A model's output."""

    logits: Tensor
    hidden: tuple[Tensor, ...] = ()
    exits: int = 0
    note: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Point:
    """A frozen pair."""

    x: Any
    y: Any

    @property
    def total(self) -> Any:
        """Return the sum."""
        return self.x + self.y


@dataclass
class Checked:
    """A dataclass that works on its fields when it is made."""

    value: Any
    doubled: Any = field(init=False)

    def __post_init__(self) -> None:
        self.doubled = self.value * 2


@dataclass
class Scaled:
    """A dataclass with arguments that are no fields."""

    value: Any
    scale: InitVar[float] = 2.0
    shift: float = 1.0
    names: InitVar[Any] = None
    result: Any = field(init=False)
    listed: list[Any] = field(default_factory=list)

    def __post_init__(self, scale: float, names: Any) -> None:
        self.result = self.value * scale + self.shift
        self.listed.append(names)


class Numbered(list[Any]):
    """A list with attributes, some with the names of parameters."""


class Result:
    """A plain class."""

    def __init__(self, scores: Tensor, steps: int) -> None:
        self.scores = scores
        self.steps = steps
        self.best = scores.max().item()


class Slotted:
    """A plain class with slots."""

    __slots__ = ("left", "right")

    def __init__(self, left: Any, right: Any) -> None:
        self.left = left
        self.right = right


class Table(dict[str, Any]):
    """A dict under another name."""


@case(inputs=[(POSITIVE,), (NEGATIVE,), (ZERO,)])
class NamedTuples(nn.Module):
    """A NamedTuple and a namedtuple; by position, by keyword, with defaults"""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 2)

    def forward(self, x: Tensor) -> Any:
        logits = self.linear(x)
        if x.sum() > 0:
            return Scores(logits, logits.max().item(), label=int(logits.argmax()))
        if x.sum() < 0:
            return Scores(logits=logits)
        return Pair(logits, second=Pair(1, (2, logits)))


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
class Dataclasses(nn.Module):
    """A dataclass whose fields are filled by a dynamic test, nested in a dict"""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x: Tensor) -> Any:
        hidden = [x]
        out = Output(self.linear(x))
        if x.sum() > 0:
            hidden.append(out.logits)
            out.exits = 1
            out.note = "early"
        out.hidden = tuple(hidden)
        return {"out": out, "point": Point(x=x.sum().item(), y=3)}


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def post_init(x: Tensor) -> Any:
    """__post_init__ runs once, in the program, not when the result is made"""
    if x.sum() > 0:
        x = x + 1
    return [Checked(x), Checked(2.0)]


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def arguments_of_post_init(x: Tensor) -> Any:
    """What a dataclass takes as InitVar goes to __post_init__, in the order of the class"""
    scaled = Scaled(x, shift=x.sum().item(), names="b") if x.sum() > 0 else Scaled(x, 3.0)
    return [scaled, Scaled(x, names="a", listed=[x]), Scaled.scale]


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def attributes_called_as_parameters(x: Tensor) -> Any:
    """Attributes called items, self and args are attributes like others"""
    numbered: Any = Numbered([x, x + 1])
    numbered.items = x * 2
    numbered.self = 3
    if x.sum() > 0:
        numbered.append(x)
    return numbered, SimpleNamespace(args=x)


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def plain_classes(x: Tensor) -> Any:
    """Plain classes, with slots, and with attributes set from outside"""
    result = Result(x, 3)
    if x.sum() > 0:
        result.steps = 4
        return result
    result.extra = Slotted(result.best, [x])
    return (result, Slotted(1, None))


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def namespaces(x: Tensor) -> Any:
    """SimpleNamespace and argparse.Namespace"""
    if x.sum() > 0:
        return SimpleNamespace(x=x, n=1)
    return argparse.Namespace(x=x, inner=SimpleNamespace(y=x + 1))


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def dict_subclass(x: Tensor) -> Any:
    """A dict under another name"""
    table = Table(x=x)
    if x.sum() > 0:
        table["y"] = x + 1
    return table


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL065")
def cyclic(x: Tensor) -> Any:
    """An object that contains itself"""
    node = SimpleNamespaceLike(x)
    node.itself = node
    return node  # <- refused


class SimpleNamespaceLike:
    """A plain class."""

    def __init__(self, x: Tensor) -> None:
        self.x = x


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def merged_objects(x: Tensor) -> Any:
    """An object of one class from both arms, read and returned"""
    if x.sum() > 0:
        point = Point(x, 1)
    else:
        point = Point(x * 2, 2)
    return point, point.total, torch.relu(point.x)


class Layer:
    """What a cache keeps of a layer, as caches of decoders do."""

    def __init__(self, keys):
        self.keys, self.dtype, self.device = keys, keys.dtype, keys.device


class Cache:
    """Layers, and of what class they are."""

    def __init__(self, *layers):
        self.layers, self.kind = list(layers), Layer


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def what_is_only_there_with_the_source(x):
    """Dtypes, devices and classes leave as texts, alone and in objects"""
    cache = Cache(Layer(x * 2), Layer(x.double()))
    kinds = [layer.dtype for layer in cache.layers]
    if x.sum() > 0:
        return cache, x.device, kinds, {"layout": x.layout}
    return cache, x.device, kinds[:1], {"layout": x.layout}


class Computed:
    """What instances have under a name is not what the attribute of that name is."""

    def __init__(self, scale):
        self.__dict__["scale"] = scale

    @property
    def scale(self):
        """Return twice of what is kept."""
        return self.__dict__["scale"] * 2


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL065")
def attribute_behind_a_property(x):
    """An attribute that only a property shows leaves with its object."""
    made = Computed(x if x.sum() > 0 else x + 1)
    return x * made.scale, made  # <- refused


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def property_read_before(x):
    """What such a property gives leaves without the object."""
    made = Computed(x if x.sum() > 0 else x + 1)
    return x * made.scale


class Doubled:
    """A data descriptor of the program's: what it gives is not what it keeps."""

    def __get__(self, owner, kind=None):
        return owner.__dict__["scale"] * 2

    def __set__(self, owner, value):
        owner.__dict__["scale"] = value


class Described:
    """Shows what it keeps through a descriptor."""

    scale = Doubled()

    def __init__(self, scale):
        self.scale = scale


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL065")
def attribute_behind_a_descriptor(x):
    """Nor does one that a descriptor of the program's shows."""
    made = Described(x if x.sum() > 0 else x + 1)
    return x * made.scale, made  # <- refused
