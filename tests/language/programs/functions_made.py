"""Functions made in the call: what they are called, what they hold, and which of them are one."""

import functools
import types

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

COUNTED = [(POSITIVE, 3), (NEGATIVE, 0), (MIXED, 1), (MIXED, 5)]


def _base(a, b=1, *rest, k=1, **named):
    return a * b + k + len(named) + sum(rest)


_outer = functools.partial(_base, k=7, q=1)


@case(inputs=COUNTED)
def partials_of_partials(x, n):
    """A partial of a partial has the arguments of both, and the function of the inner one"""
    inner = functools.partial(functools.partial(_base, x, k=n), 2, z=3)
    known = functools.partial(_outer, x)
    both = functools.partial(known, n, q=2, t=1)
    what = (len(inner.args), inner.keywords["k"], inner.func is _base, sorted(both.keywords))
    return inner(), inner(4), inner(k=1), inner.args[0], known(n), both(1), what


@case(inputs=COUNTED)
def classes_of_functions(x, n):
    """isinstance and callable of partials, functions and bound methods"""
    made = functools.partial(torch.mul, x)
    function = lambda v: v + n  # noqa: E731

    class Scale:
        def __init__(self, factor):
            self.factor = factor

        def __call__(self, v):
            return v * self.factor

    bound = Scale(n).__call__
    kinds = (functools.partial, types.FunctionType, types.MethodType)
    told = [isinstance(f, kind) for f in (made, function, bound) for kind in kinds]
    return told, [callable(f) for f in (made, function, bound, n)], made(2), bound(x)


@case(inputs=COUNTED)
def one_function_after_joins(x, n):
    """`is` sees whether two names are one function, also after decisions and loops"""

    def make():
        return lambda v: v + 1

    f = make()
    g = f
    kept = {"f": f, "other": make()}
    chosen = kept["other"] if n > 2 else f
    for _ in range(n):
        x = kept["f"](x)
        if x.sum() > 20:
            x = chosen(x)
    return f is g, kept["f"] is g, chosen is f, chosen is kept["other"], x


@case(inputs=COUNTED, refused="DYCL039")
def name_of_a_wrapper(x, n):
    """functools.wraps gives the wrapper the name of what it wraps"""

    def counted(function):
        @functools.wraps(function)
        def wrapper(v):
            return function(v) + n

        return wrapper

    @counted
    def doubled(v):
        return v * 2

    return doubled(x), doubled.__name__  # <- refused


@case(inputs=COUNTED)
def classes_on_one_line(x, n):
    """A class without a body, and one with constants only, hold functions"""

    class Box: pass  # fmt: skip # noqa: E701

    class Sizes: small = 1; large = 2  # fmt: skip # noqa: E701, E702

    box = Box()
    box.function = lambda v: v + n
    if n > 2:
        box.function = lambda v: v - n
    return box.function(x), Sizes.small + Sizes().large


class _Table(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.twice = functools.partial(self.scaled, factor=2)

    def scaled(self, v, factor=1):
        return v * factor


@case(inputs=COUNTED)
class CalledByNumber(_Table):
    """Methods, partials, lambdas, layers and torch's functions, called by a number"""

    def forward(self, x, n):
        functions = [
            self.scaled, functools.partial(self.twice), lambda v: v - n, self.layer, torch.tanh,
        ]  # fmt: skip
        for i in range(n):
            x = functions[(i * n) % 5](x)
        return x


@case(inputs=COUNTED)
class KeptWhereBest(_Table):
    """The best of several functions so far is kept, and exchanged in a loop"""

    def forward(self, x, n):
        best, score = None, -1e9
        for function in (torch.relu, self.twice, lambda v: v * n):
            reached = function(x).sum().item()
            if reached > score:
                best, score = function, reached
        for i in range(n):
            if x.sum() > 10:
                best = torch.tanh
            x = best(x) + i
        return x, score


@case(inputs=COUNTED)
def exchanged_by_a_closure(x, n):
    """A closure rebinds a variable that holds a function"""
    function = torch.relu

    def swap():
        nonlocal function
        function = torch.tanh if function is torch.relu else torch.relu

    for i in range(n):
        if x.sum() > i:
            swap()
        x = function(x) + 0.5
    return x


def _noted(function, names):
    """Gather what a function has to say to its caller, as solvers ask for callbacks."""
    found = []
    for name in names:
        try:
            found.append(getattr(function, name))
        except AttributeError as error:
            found.append(str(error))
    return found


@case(inputs=COUNTED)
def attributes_that_are_not_there(x, n):
    """A function that the call defines has no attributes: asking for one raises, hasattr says no"""
    step = lambda v: v * n  # noqa: E731

    def twice(v):
        return v * 2 if not hasattr(twice, "on_step") else v  # known

    missing = getattr(twice, "on_step", None)
    return step(x), twice(x), _noted(step, ("on_step", "before")), missing is None
