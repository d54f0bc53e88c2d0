"""Functions, classes and partials as arguments: fixed at compile time, compared by the host"""

import enum
import functools

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case


class Mode(enum.Enum):
    SUM = 1
    MEAN = 2


def _halved(x):
    return x / 2


class _Scaling:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return x * self.factor


@case(inputs=[(POSITIVE, torch.sin, _halved), (NEGATIVE, torch.sin, _halved)])
def two_functions(x, first, second):
    """A function of torch and one of the user"""
    return second(first(x)) if x.sum() > 0 else second(x)


@case(inputs=[(POSITIVE, functools.partial(torch.add, alpha=2)), (MIXED, functools.partial(torch.add, alpha=2))])
def partial_argument(x, combine):
    """A functools.partial"""
    return combine(x, x)


@case(inputs=[(POSITIVE, _Scaling), (NEGATIVE, _Scaling)])
def class_argument(x, kind):
    """A class of which an instance is made"""
    return kind(3)(x)


@case(inputs=[(POSITIVE, Mode.MEAN, torch.float64), (NEGATIVE, Mode.MEAN, torch.float64)])
def enumeration_and_dtype(x, mode, dtype):
    """A member of an enumeration and a dtype"""
    x = x.to(dtype)
    return x.mean() if mode is Mode.MEAN else x.sum()  # known


@case(inputs=[({"call": _halved, "x": POSITIVE},), ({"call": _halved, "x": NEGATIVE},)])
def function_in_a_dict(settings):
    """A function inside a container that is an argument"""
    return settings["call"](settings["x"])
