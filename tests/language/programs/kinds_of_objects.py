"""Whether a value is a function, a class or a module: ``inspect.isfunction`` and the like"""

import inspect
import itertools
from inspect import isfunction

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


def _default(value, other):
    """Return a value if there is one, else another, which a function may make."""
    if value is not None:
        return value
    return other() if isfunction(other) else other


@case(inputs=BOTH)
class AttentionToItself(nn.Module):
    """A default that is a tensor, a module or what a function makes"""

    def __init__(self):
        super().__init__()
        self.shift = nn.Parameter(torch.ones(1))

    def forward(self, x, context=None, noise=None):
        context = _default(context, x)
        noise = _default(noise, lambda: x * 2)
        if context.sum() > 0:
            noise = noise + _default(None, self.shift)
        return context + noise, _default(noise, None)


class _Plain:
    def method(self):
        return self  # never


@case(inputs=BOTH)
def every_kind(x):
    """Functions, methods, classes, modules, builtins, generators, and what is none of these"""

    def inner():
        return x  # never

    def counting():
        yield 1  # never

    count = int(x.sum())
    items = [1]
    if x.sum() > 0:
        items.append(count)
    plain = _Plain()
    things = [x, inner, lambda: 3, plain.method, _Plain, plain, len, torch, counting, counting()]
    things += [
        itertools.chain(items),
        itertools.repeat(1),
        (one for one in things),
        map(len, things),
    ]
    things += [3, "text", None, [1], {"a": x}, (x,), count, items, torch.relu, range(count)]
    asked = inspect.isfunction, inspect.ismethod, inspect.isclass, inspect.ismodule
    found = [[ask(thing) for thing in things] for ask in (*asked, inspect.isbuiltin)]
    ended = itertools.chain(), itertools.groupby(items)
    ends = [next(one, None) for one in ended]
    generators = [inspect.isgenerator(thing) for thing in (*things, *ended)]
    return found, generators, len(ends)
