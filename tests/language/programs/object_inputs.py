"""Objects of known structure as arguments: batches, configurations, named tuples"""

import argparse
from collections import OrderedDict, namedtuple
from dataclasses import dataclass, field
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

Pair = namedtuple("Pair", ["left", "right"])


class Batch:
    """A plain class, as data loaders make them."""

    def __init__(self, tokens: Tensor, mask: Tensor, size: int) -> None:
        self.tokens = tokens  # at import
        self.mask = mask  # at import
        self.size = size  # at import
        self.dataset = print  # at import; no input could be this: nobody reads it

    @property
    def masked(self) -> Tensor:
        """Return the tokens that count."""
        return self.tokens * self.mask

    @cached_property
    def total(self) -> Tensor:
        """Return the sum of what counts."""
        return self.masked.sum()

    def scaled(self, factor: float) -> Tensor:
        """Return all tokens scaled."""
        return self.masked * factor * self.size

    def __len__(self) -> int:
        return self.size


@dataclass
class Config:
    """A configuration object."""

    layers: int = 2
    scale: float = 0.5
    activation: str = "relu"
    inner: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(bias=1.0))


def batch(x: Tensor, size: int = 2) -> Batch:
    """Return a batch whose mask lets every second token through."""
    return Batch(x, (torch.arange(6) % 2).reshape(2, 3).float(), size)  # at import


@case(inputs=[(batch(POSITIVE),), (batch(NEGATIVE, 0),), (batch(ZERO, 5),)])
class Batches(nn.Module):
    """Attributes, methods, properties and the length of a batch; what is not read may be anything"""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, batch: Any) -> Any:
        x = self.linear(batch.tokens)
        if batch.masked.sum() > 0:
            x = x + batch.scaled(2.0)
        if not batch:
            return x, len(batch)
        return x * batch.masked.sum(), batch.size + 1


@case(inputs=[(POSITIVE, Config()), (NEGATIVE, Config(layers=3)), (ZERO, Config(0, 2.0))])
def configuration(x: Tensor, config: Config) -> Any:
    """Numbers of a configuration are inputs, strings are fixed"""
    for _ in range(config.layers):
        x = x * config.scale
    if config.activation == "relu":  # known
        x = torch.relu(x)
    return x + config.inner.bias


@case(
    inputs=[(POSITIVE, Config(layers=3)), (NEGATIVE, Config(layers=3, scale=2.0))],
    options={"static_arguments": frozenset({"config.layers"})},
)
def static_attribute(x: Tensor, config: Config) -> Any:
    """A number of a configuration that is fixed unrolls the loop"""
    outputs = []
    for index in range(config.layers):
        outputs.append(x * (config.scale + index))
    return torch.stack(outputs).sum(0), len(outputs)


@case(
    inputs=[
        (argparse.Namespace(x=POSITIVE, n=2), SimpleNamespace(y=[MIXED, 3])),
        (argparse.Namespace(x=NEGATIVE, n=-2), SimpleNamespace(y=[MIXED, 4])),
    ]
)
def namespaces(args: argparse.Namespace, other: SimpleNamespace) -> Any:
    """Namespaces; an attribute that is not there has its default"""
    y, count = other.y
    if args.n > 0:
        y = y + args.x
    return y * count, getattr(args, "missing", 7), hasattr(other, "z"), hasattr(other, "y")


@case(
    inputs=[
        (Pair(POSITIVE, Pair(1, 2.0)), OrderedDict(a=ZERO, b=3)),
        (Pair(NEGATIVE, Pair(5, 0.5)), OrderedDict(a=MIXED, b=4)),
    ]
)
def named_tuples(pair: Any, table: Any) -> Any:
    """Named tuples are unpacked and read by field; an OrderedDict keeps its kind"""
    left, right = pair
    if left.sum() > 0:
        return left * right.left, pair[1][1], len(pair)
    return {key: value * right.right for key, value in table.items()}, table


@case(inputs=[(batch(POSITIVE),), (batch(NEGATIVE),)])
def changed(batch: Any) -> Any:
    """An argument's attribute is written"""
    if batch.tokens.sum() > 0:
        batch.tokens = batch.tokens * 2
    return batch.tokens


@case(inputs=[(batch(POSITIVE),), (batch(NEGATIVE),)], refused="DYCL072")
def unusable(batch: Any) -> Any:
    """An attribute is read that cannot be an input"""
    if batch.tokens.sum() > 0:
        return batch.tokens
    batch.dataset("empty")  # <- refused
    return batch.mask


@case(inputs=[(batch(POSITIVE),), (batch(NEGATIVE),)])
def cached(batch: Any) -> Any:
    """A cached property is written into the caller's object"""
    if batch.total > 0:
        return batch.tokens
    return batch.mask


class Lazy:
    """A plain class with a property that is kept."""

    def __init__(self, x: Tensor) -> None:
        self.x = x
        self.runs = 0

    @cached_property
    def doubled(self) -> Tensor:
        """Return twice the tensor, and count how often it is computed."""
        self.runs += 1
        return self.x * 2


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def cached_inside(x: Tensor) -> Any:
    """A cached property of an object of the program is computed once"""
    lazy = Lazy(x)
    if lazy.doubled.sum() > 0:
        return lazy.doubled + lazy.doubled, lazy.runs
    return lazy.x, lazy.runs


class Settings:
    """Data in the body of the class: what instances have by default."""

    scale = 2.0
    layers: int = 2
    name = "plain"

    def __init__(self, **changed: Any) -> None:
        self.__dict__.update(changed)  # at import


@case(
    inputs=[
        (POSITIVE, Settings()),
        (NEGATIVE, Settings(layers=3)),
        (MIXED, Settings(scale=0.5, layers=0)),
    ]
)
def defaults_of_the_class(x: Tensor, settings: Any) -> Any:
    """An instance may have another value than its class"""
    for _ in range(settings.layers):
        x = x * settings.scale
    return x, settings.name


@case(inputs=[(POSITIVE, Settings()), (NEGATIVE, Settings())], refused="DYCL072")
def all_attributes(x: Tensor, settings: Any) -> Any:
    """vars() of an object whose class has data as well"""
    return x, len(settings.__dict__)  # <- refused


class Wrapped:
    """Asks what it holds for what it has not itself."""

    kind = "wrapped"

    def __init__(self, inner: Any) -> None:
        self.inner = inner  # at import

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.inner, name)


class Table:
    """Has its settings in a dict."""

    def __init__(self, **settings: Any) -> None:
        self.settings = settings  # at import

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["settings"][name]
        except KeyError:
            raise AttributeError(name) from None


WRAPPED = [(Wrapped(Batch(x, x.abs(), 3)), x) for x in (MIXED, POSITIVE, NEGATIVE)]


@case(inputs=WRAPPED)
def asked_by_its_class(batch, x):
    """What ``__getattr__`` gives, a caller's object need not have"""
    if batch.masked.sum() > 0:
        return batch.tokens * batch.size + x, batch.kind
    return batch.mask - x, hasattr(batch, "absent"), batch.inner.size


@case(inputs=[(Table(scale=scale), MIXED) for scale in (2, 3, -1)])
def settings_in_a_dict(table, x):
    """Attributes that are the entries of a dict, some of which may be missing"""
    try:
        return x * table.scale + table.shift
    except AttributeError:
        return x * getattr(table, "scale", 7) - int(hasattr(table, "scale"))
