"""Descriptors of the user's: what ``__get__`` and ``__set__`` of an object in a class do"""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,), (POSITIVE,)]


class _Lazy:
    """Computes an attribute once; goes after what the instance has."""

    def __init__(self, function):
        self.function = function  # at import

    def __get__(self, instance, owner=None):
        value = self.function(instance)
        setattr(instance, self.function.__name__, value)
        return value


class _Checked:
    """Goes before what the instance has."""

    def __set_name__(self, owner, name):
        self.name = "_" + name  # at import

    def __get__(self, instance, owner=None):
        return getattr(instance, self.name)

    def __set__(self, instance, value):
        if value.sum() < 0:
            raise ValueError("negative")
        setattr(instance, self.name, value)


class _Positive:
    def __get__(self, instance, owner=None):
        return instance.rows.sum() > 0


class _Table:
    rows = _Checked()
    positive = _Positive()

    def __init__(self, rows):
        self.rows = rows
        self.made = 0

    @_Lazy
    def doubled(self):
        self.made += 1
        return self.rows * 2


@case(inputs=ROWS)
def computed_once(x):
    """An attribute that a descriptor computes at its first use, and keeps"""
    table = _Table(x.abs())
    y = table.doubled + table.doubled
    return y if x.sum() > 0 else y + table.made


@case(inputs=ROWS)
def checked_as_set(x):
    """A setter that may raise, and keeps the value under another name"""
    try:
        table = _Table(x)
    except ValueError:
        return x
    return table.rows + 1


@case(inputs=ROWS)
def truth_of_what_is_read(x):
    """A test of an attribute asks what the descriptor gives, not the descriptor"""
    table = _Table(x.abs())
    table._rows = x
    return x if table.positive else -x


@case(inputs=ROWS)
class DescriptorsOfModules(nn.Module):
    """Descriptors in the class of the model itself"""

    positive = _Positive()

    def __init__(self):
        super().__init__()
        self.rows = torch.zeros(1)
        self.made = 0

    @_Lazy
    def offset(self):
        self.made += 1
        return self.made * 2

    def forward(self, x):
        self.rows = x
        y = x if self.positive else -x
        return y + self.offset


class _Settings:
    size = _Checked()

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value + 1)


@case(inputs=ROWS, may_refuse=True)
def setting_by_itself(x):
    """A class that sets attributes in its own way leaves descriptors aside"""
    settings = _Settings()
    settings.size = x  # <- refused
    return x if x.sum() > 0 else settings.size
