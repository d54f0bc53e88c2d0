"""Static and class methods where an instance is usual; `del` of attributes; signatures."""

import inspect
from typing import NamedTuple

import torch
from torch import Tensor, nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


class Clipped(nn.Module):
    """Needs nothing of its own."""

    @staticmethod
    def forward(x, low=0.0):
        return x.clamp(min=low) if x.sum() > 0 else x - 1


class Named(nn.Module):
    """Knows its class only."""

    name = "named"

    @classmethod
    def forward(cls, x):
        return x if x.sum() < 0 else x * len(cls.name)


@case(inputs=ROWS)
class StaticForward(nn.Module):
    """A submodule whose forward is a static, or a class method."""

    def __init__(self):
        super().__init__()
        self.clipped = Clipped()
        self.named = Named()

    def forward(self, x):
        return self.clipped(x), self.clipped(x, low=0.5), self.named(x)


class Scored(NamedTuple):
    """A tensor with its score."""

    value: Tensor
    score: float

    @staticmethod
    def better(left, right):
        return left if left > right else right

    @classmethod
    def of(cls, value):
        return cls(value, value.sum().item())


@case(inputs=ROWS)
def methods_of_named_tuples(x):
    """Static and class methods of a named tuple, called through an instance."""
    first = Scored.of(x)
    second = first.of(x * 2)
    return second, first.better(first.score, second.score)


class Holder:
    """Has what it is given."""

    def __init__(self, value):
        self.value = value
        self.steps = 0


@case(inputs=ROWS)
def attributes_are_deleted(x):
    """A deleted attribute is gone, on one path or on both."""
    holder = Holder(x)
    if x.sum() > 0:
        holder.steps = 3
        holder.extra = x + 1
    else:
        del holder.steps
    del holder.value
    return hasattr(holder, "steps"), hasattr(holder, "value"), hasattr(holder, "extra")


@case(inputs=ROWS)
def deleted_twice(x):
    """Deleting what is not there raises AttributeError."""
    holder = Holder(x)
    if x.sum() > 0:
        del holder.value
    del holder.value
    return x


def chunked(function, *parts):
    """Call a function that takes as many parts as there are."""
    if len(inspect.signature(function).parameters) != len(parts):
        return None
    return function(*parts)


@case(inputs=ROWS)
class Signatures(nn.Module):
    """How many parameters a bound method has is known; so are their names."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def feed(self, hidden, *, scale=1.0):
        return self.layer(hidden) * scale

    def pair(self, left, right):
        return left if left.sum() > 0 else right

    def forward(self, x):
        names = list(inspect.signature(self.feed).parameters)
        made = chunked(self.pair, x, self.feed(x))
        return made, names, chunked(self.feed, x)


def shown_as(shown):
    """Make a decorator whose functions show the parameters of another one."""

    def decorate(function):  # at import
        def inner(*args, scale=2.0, **kwargs):  # at import
            result = function(*args, **kwargs)
            return result if scale == 2.0 else result * scale

        inner.__signature__ = inspect.signature(shown)  # at import
        return inner  # at import

    return decorate  # at import


@shown_as(lambda y, *, x=3.0, scale=5.0: None)
def difference(x, y=1.0):
    return x - y


@case(inputs=ROWS)
class ShownSignatures(nn.Module):
    """What a function shows as its signature is no matter to its calls: the code is."""

    @shown_as(lambda self, x, scale: None)
    def forward(self, x):
        names = list(inspect.signature(difference).parameters)
        higher = difference(x) if x.sum() > 0 else difference(x, y=x / 2, scale=3.0)
        return higher, difference(y=x, x=1.0), names


@case(inputs=[(POSITIVE, 2), (NEGATIVE, 0)])
def sizes_made_by_hand(x, count):
    """`torch.Size` of a list, of known and run-time integers."""
    whole = torch.Size([x.shape[1], x.shape[0]])
    part = torch.Size((count, 3))
    turned = x.reshape(whole) if x.sum() > 0 else x
    return turned, whole.numel(), part.numel(), torch.zeros(part), torch.Size([2]) + whole


@case(inputs=[(torch.Size((2, 3)), POSITIVE), (torch.Size((3, 2)), NEGATIVE)])
def size_given(size, x):
    """`torch.Size` as an argument."""
    rows = x.new_ones(size) if isinstance(size, torch.Size) else x  # known
    return rows.sum() * size.numel(), len(size), size[0], x.sum() > size[-1]


@case(inputs=ROWS)
def deleted_by_name(x):
    """delattr takes the name as a text, and raises for what is not there"""
    holder = Holder(x)
    if x.sum() > 0:
        delattr(holder, "steps")
    try:
        delattr(holder, "nothing")
    except AttributeError as error:
        return sorted(vars(holder)), str(error)


class Remembered:
    """A property that is deleted in its own way, and one that is not."""

    def __init__(self):
        self._last, self.forgotten = 0, 0

    @property
    def last(self):
        return self._last

    @last.deleter
    def last(self):
        self._last = None
        self.forgotten += 1

    @property
    def first(self):
        return 1  # never


@case(inputs=ROWS)
def properties_are_deleted(x):
    """The property's deleter runs; without one, Python raises"""
    kept = Remembered()
    if x.sum() > 0:
        del kept.last
    try:
        del kept.first
    except AttributeError as error:
        return kept.last, kept.forgotten, str(error)


def _scaled(x, by=2, *others, shift=1, **named):
    return x * by + shift, others, named


SCALED = inspect.signature(_scaled)


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def arguments_bound(x):
    """bind() of a signature: which argument is whose; defaults; what does not fit."""
    given = SCALED.bind(x, 3, x + 1, key=x)
    bare = SCALED.bind(x)
    bare.apply_defaults()
    try:
        SCALED.bind(x, x=x)
    except TypeError as error:
        parts = _scaled(*bare.args, **bare.kwargs), given.args, given.kwargs
        is_one = isinstance(bare, inspect.BoundArguments), type(given) is inspect.BoundArguments
        text = str(error)
        return parts, given.arguments, bare.arguments, text, is_one, x if x.sum() > 0 else -x
