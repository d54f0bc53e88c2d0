"""How Python finds methods: mixins, abstract bases, replaced methods, descriptors."""

import abc
import functools
import types

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


class _Scale:
    """A mixin at the end of the chain."""

    factor = 2

    def change(self, x):
        return x * self.factor


class _Shift(_Scale):
    """A mixin in the middle."""

    def change(self, x):
        y = super().change(x)
        return y + 1 if y.sum() > 0 else y


class _Negate(_Scale):
    """Its neighbour in the order of resolution."""

    def change(self, x):
        return -super().change(x)


@case(inputs=BOTH)
class MultipleInheritance(_Shift, _Negate, nn.Module):
    """super() follows the method resolution order through mixins."""

    def forward(self, x):
        return self.change(x), [c.__name__ for c in type(self).__mro__[1:4]]


class _Exit(nn.Module, abc.ABC):
    """An abstract module: a template method with holes."""

    @abc.abstractmethod
    def score(self, x):
        """Return how confident the exit is."""

    def forward(self, x):
        return x if self.score(x) > 0.5 else x * 0


class _MaxExit(_Exit):
    """Fills the hole."""

    def score(self, x):
        return x.max()


@case(inputs=BOTH)
class TemplateMethod(nn.Module):
    """An abstract base calls the method of the subclass."""

    def __init__(self):
        super().__init__()
        self.exit = _MaxExit()

    def forward(self, x):
        return self.exit(x)


def _replacement(self, x):
    return self.layer(x) * 10 if x.sum() > 0 else x


@case(inputs=BOTH)
class MethodReplaced(nn.Module):
    """A method replaced by types.MethodType on a submodule and by a function on self."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.inner = nn.Module()
        self.inner.layer = self.layer
        self.inner.forward = types.MethodType(_replacement, self.inner)
        self.score = lambda x: x.mean()

    def forward(self, x):
        y = self.inner(x)
        return y if self.score(y) > -1.8 else -y


@case(inputs=BOTH)
class CallOverridden(nn.Module):
    """A submodule class overrides __call__."""

    class Doubler(nn.Module):
        """Adds a keyword to the call."""

        def __call__(self, x, times=2):
            return super().__call__(x) * times

        def forward(self, x):
            return x + 1 if x.sum() > 0 else x

    def __init__(self):
        super().__init__()
        self.doubler = self.Doubler()

    def forward(self, x):
        return self.doubler(x), self.doubler(x, times=3)


@case(inputs=BOTH)
class CachedProperty(nn.Module):
    """functools.cached_property and plain properties over parameters."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3) * 2)

    @functools.cached_property
    def table(self):
        return {"a": 1, "b": 2}

    @property
    def normalised(self):
        return self.weight / self.weight.sum()

    def forward(self, x):
        if x.sum() > 0:
            return x * self.normalised
        return x + self.table["b"]


@case(inputs=BOTH)
class ModuleGetattr(nn.Module):
    """A module's own __getattr__ delegates to what it wraps."""

    def __init__(self):
        super().__init__()
        self.wrapped = nn.Linear(3, 4)

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.wrapped, name)

    def forward(self, x):
        if x.sum() > 0:
            return self.wrapped(x)
        return x.sum() * self.out_features


@case(inputs=BOTH)
class ModuleSequenceProtocol(nn.Module):
    """A module with __len__, __getitem__ and __iter__ of its own."""

    class Stack(nn.Module):
        """Keeps layers under numbered names."""

        def __init__(self):
            super().__init__()
            for i in range(3):
                self.add_module(f"layer{i}", nn.Linear(3, 3))

        def __len__(self):
            return 3

        def __getitem__(self, i):
            return getattr(self, f"layer{i}")

        def __iter__(self):
            return iter(self[i] for i in range(len(self)))

    def __init__(self):
        super().__init__()
        self.stack = self.Stack()

    def forward(self, x):
        for layer in self.stack:
            if x.sum() > 0:
                x = layer(x)
        return self.stack[len(self.stack) - 1](x)


@case(inputs=[*BOTH, (MIXED,)])
class StateInNestedFunction(nn.Module):
    """Nested functions use self, sibling functions and variables of the method."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        visited = []

        def visit(row, depth=0):
            visited.append(depth)
            if row.sum() > 0 and depth < 2:
                return visit(transform(row), depth + 1)
            return row

        def transform(row):
            return torch.relu(self.layer(row)) * scale

        scale = 1.5
        return visit(x[0]), visit(x[1]), visited


@case(inputs=BOTH)
class NameMangling(nn.Module):
    """Double-underscore names belong to their class."""

    def __init__(self):
        super().__init__()
        self.__scale = 3

    def __apply(self, x):
        return x * self.__scale

    def forward(self, x):
        return self.__apply(x) if x.sum() > 0 else x + self._NameMangling__scale


@case(inputs=BOTH)
class SuperOfThree(nn.Module):
    """super() takes a class and one object."""

    def forward(self, x):
        try:
            x = super(SuperOfThree, self, x).forward(x)
        except TypeError:
            x = x + 1
        return x if x.sum() > 0 else -x


@case(inputs=BOTH, refused="DYCL039")
class SuperOfAClassAlone(nn.Module):
    """super() of a class alone waits for its object."""

    def forward(self, x):
        unbound = super(SuperOfAClassAlone)  # <- refused
        return x, unbound is None
