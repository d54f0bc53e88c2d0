"""State that does not show: caches made on the first call, written attributes, shared defaults."""

import dataclasses
import functools

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


class Masked(nn.Module):
    """A block whose caller sets an attribute before calling it."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.scale = 1.0
        self.mask = None

    def forward(self, x):
        h = self.linear(x) * self.scale
        return h if self.mask is None else h * self.mask  # known


@case(inputs=BOTH)
class AttributeOfASubmodule(nn.Module):
    """A submodule reads attributes that its caller wrote in this call."""

    def __init__(self):
        super().__init__()
        self.block = Masked()

    def forward(self, x):
        self.block.scale = 2.0
        self.block.mask = (x > 1).float()
        return self.block(x)


@case(inputs=BOTH)
class AttributeOfASubmoduleByBranch(nn.Module):
    """The same, with a value that depends on the input."""

    def __init__(self):
        super().__init__()
        self.block = Masked()

    def forward(self, x):
        if x.sum() > 0:
            self.block.mask = x
        else:
            self.block.mask = x + 1
        return self.block(x)


@case(inputs=BOTH, may_refuse=True)
class MadeOnTheFirstCall(nn.Module):
    """`if not hasattr(self, ...)` keeps a value of the first call for the later ones."""

    def forward(self, x):
        if not hasattr(self, "first"):
            self.first = x  # <- refused
        return x + self.first


@case(inputs=BOTH, may_refuse=True)
class CountedByGetattr(nn.Module):
    """getattr with a default reads what an earlier call wrote."""

    def forward(self, x):
        calls = getattr(self, "calls", 0)
        self.calls = calls + 1  # <- refused
        return x * calls


@case(inputs=BOTH, may_refuse=True)
class MadeWhereItIsMissing(nn.Module):
    """except AttributeError tells the first call from the later ones."""

    def forward(self, x):
        try:
            hidden = self.hidden
        except AttributeError:
            hidden = x * 0
        self.hidden = hidden + x  # <- refused
        return self.hidden


@case(inputs=BOTH, factory=True)
def mutable_default():
    """A list as default value lives on between calls."""

    def count(calls=[]):
        calls.append(1)
        return len(calls)

    def counts(x):
        return count(), x

    return counts


@functools.lru_cache(maxsize=None)
def _sizes(n):
    return [n]


@functools.lru_cache(maxsize=None)
def _ones(n):
    return torch.ones(n)


@functools.lru_cache(maxsize=None)
def _written_ones(n):
    return torch.ones(n)


@case(inputs=BOTH, refused="DYCL034")
def cached_list(x):
    """lru_cache gives one list to all calls; it is changed."""
    sizes = _sizes(3)
    sizes.append(1)  # <- refused
    return len(sizes), x


@case(inputs=BOTH, refused="DYCL034")
def cached_tensor_written(x):
    """lru_cache gives one tensor to all calls; it is written."""
    ones = _written_ones(3)
    ones += 1  # <- refused
    return x * ones


@case(inputs=BOTH)
def cached_tensor(x):
    """A tensor of an lru_cache is read."""
    return x * _ones(3)


@dataclasses.dataclass(frozen=True)
class Frozen:
    """Sets a field of its own after all."""

    a: int
    b: int = 0

    def __post_init__(self):
        object.__setattr__(self, "b", self.a * 2)


@case(inputs=BOTH)
def frozen_dataclass(x):
    """Writing a field of a frozen dataclass raises."""
    made = Frozen(2)
    try:
        made.a = 3
    except dataclasses.FrozenInstanceError as error:
        return made.a, made.b, str(error)
    return x  # never


class Slotted:
    """May have one attribute only."""

    __slots__ = ("a",)

    def __init__(self, a):
        self.a = a


@case(inputs=BOTH)
def slots(x):
    """A class with slots takes no other attributes."""
    made = Slotted(1)
    try:
        made.b = 2
    except AttributeError as error:
        return made.a, str(error)
    return x  # never


@case(inputs=BOTH)
def methods_through_the_class(x):
    """list.append(items, x) changes the list."""
    items, table = [], {}
    list.append(items, x)
    dict.update(table, a=1)
    return items, table


@case(inputs=BOTH)
def printed_shape(x):
    """print shows a shape as PyTorch writes it, without PyTorch."""
    print("shape", x.shape, x.dtype, [x.sum().item() > 0], sep="|")
    return x


@case(inputs=BOTH)
def gradients_switched_on(x):
    """torch.is_grad_enabled() follows the context managers around it."""
    with torch.enable_grad():
        inside = torch.is_grad_enabled()
        with torch.no_grad():
            innermost = torch.is_grad_enabled()
    return inside, innermost, torch.is_grad_enabled()
