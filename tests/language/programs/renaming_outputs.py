"""Results of a library's own class: a dict and a dataclass at once, with old names for some keys."""

import dataclasses
import functools
from collections import OrderedDict

from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


class _Renaming(type):
    def __setattr__(cls, name, value):
        if name == "__init__":  # at import
            init = value  # at import

            @functools.wraps(init)  # at import
            def __init__(self, *args, **kwargs):  # at import
                if "old_name" in kwargs:  # known
                    kwargs["new_name"] = kwargs.pop("old_name")
                init(self, *args, **kwargs)

            value = __init__  # at import
        super().__setattr__(name, value)  # at import


class _Output(OrderedDict, metaclass=_Renaming):
    def __post_init__(self):
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value is not None:
                self[field.name] = value

    def __contains__(self, key):
        return super().__contains__("new_name" if key == "old_name" else key)


@dataclasses.dataclass
class _Scores(_Output):
    scores: object = None
    new_name: object = None


@dataclasses.dataclass
class _Point:
    x: float
    y: float = 2.0


def _counted(kind):
    init = kind.__init__  # at import

    def replaced(self, *given, **named):  # at import
        self.calls = len(given)
        init(self, *given, **named)

    kind.__init__ = replaced  # at import
    return kind  # at import


@_counted
@dataclasses.dataclass
class _Counted(_Point):
    z: float = 3.0


class _Other(_Point):
    def __init__(self, x):
        super().__init__(x, y=x * 2)
        self.total = self.x + self.y


@case(inputs=BOTH)
class Renamed(nn.Module):
    """What ``dataclass`` wrote is called by what a class of classes put in its place"""

    def forward(self, x):
        made = _Scores(scores=x * 2, old_name=None)
        if x.sum() > 0:
            made = _Scores(x, old_name=x + 1)
        found = "old_name" in made, "new_name" in made, "scores" in made, "other" in made
        return made.scores, found, list(made)


@case(inputs=BOTH)
def counted(x):
    """The same in a decorator, which sets an attribute before"""
    made = _Counted(x.sum().item(), 1.0)
    return made.x, made.y, made.z, made.calls, _Counted(x=0.5).calls


@case(inputs=BOTH)
def called_by_a_subclass(x):
    """The same by ``super()``"""
    made = _Other(x.sum().item())
    return made.x, made.y, made.total


@case(inputs=BOTH)
def does_not_fit(x):
    """Python's error where an argument is missing"""
    try:
        return _Counted().x, x
    except TypeError as error:
        return str(error), x
