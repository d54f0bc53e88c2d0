"""Tables of modules that a first call fills."""

import torch
from torch import nn

from tests.language.harness import case, noise

SERIES = [(noise(2, 3),), (-noise(2, 3),), (noise(2, 3) * 2,), (noise(2, 3, seed=1),)]
CALLS = [(x, number == 0) for number, (x,) in enumerate(SERIES)]
"""The first one empties the tables: eager calls before have filled them."""
_TYPES: dict = {}
_LISTS: dict = {}
_SUMS: dict = {}
_CALLS: list = []
_SIGNS: dict = {}


class _Base:
    name = "none"


class _Integers(_Base):
    def fits(self, x):
        return not x.is_floating_point()


class _Floats(_Base):
    name = "floats"

    def __init__(self):
        self.factor = 2.0

    def fits(self, x):
        return x.is_floating_point()


def _handler(x):
    if type(x) in _TYPES:
        return _TYPES[type(x)]
    classes = _Base.__subclasses__()
    handlers = [kind() for kind in classes]
    fitting = [handler for handler in handlers if handler.fits(x)]
    _TYPES[type(x)] = fitting[0]
    return fitting[0]


@case(inputs=SERIES, rounds=True)
class HandlersByType(nn.Module):
    """What handles a type of tensor is made at its first call and stored, as einops does."""

    def __init__(self):
        super().__init__()
        _TYPES.clear()
        self.weight = nn.Parameter(torch.ones(3))

    def forward(self, x):
        x = x * _handler(x).factor * _handler(self.weight).factor
        if x.sum() > 0:
            return x * _handler(self.weight).factor, _handler(x).name
        return x - _handler(x).factor, "negative"


@case(inputs=SERIES, rounds=True)
class DefaultsInATable(nn.Module):
    """setdefault() of a dict of a module."""

    def __init__(self):
        super().__init__()
        _LISTS.clear()

    def forward(self, x):
        steps = _LISTS.setdefault("steps", [1, 2])
        return x * steps[1] if x.sum() > 0 else x * len(_LISTS.setdefault("steps", []))


@case(inputs=CALLS)
class TableOfRunTimeNumbers(nn.Module):
    """What the first call stores depends on its input."""

    def forward(self, x, first):
        if first:
            _SUMS.clear()
        if "sum" not in _SUMS:
            _SUMS["sum"] = x.sum()
        return x * _SUMS["sum"]


@case(inputs=CALLS)
class TableThatGrows(nn.Module):
    """Each call adds something to a list of a module."""

    def forward(self, x, first):
        if first:
            _CALLS.clear()
        _CALLS.append(1)
        return x * len(_CALLS)


@case(inputs=CALLS)
class TableOfOnePath(nn.Module):
    """Whether a call fills a dict of a module depends on its input."""

    def forward(self, x, first):
        if first:
            _SIGNS.clear()
        if x.sum() > 0 and "positive" not in _SIGNS:
            _SIGNS["positive"] = 1
        return x * len(_SIGNS)


_FIRST: dict = {}


@case(inputs=CALLS)
class FirstCallIsAnother(nn.Module):
    """The call that fills a table gives something else than those that find it filled."""

    def forward(self, x, first):
        if first:
            _FIRST.clear()
        if "seen" not in _FIRST:
            _FIRST["seen"] = True
            return x + 100
        return x


class _Slotted:
    __slots__ = ("name", "scale")

    def __init__(self, scale):
        self.scale = scale  # at import


class _WithProperty(_Slotted):
    __slots__ = ()

    @property
    def name(self):
        return f"scaled by {self.scale}"


class _WithAttribute(_Slotted):
    name = "one of the class"


class _WithSetter(_Slotted):
    @property
    def scale(self):
        return self.own * 2.0

    @scale.setter
    def scale(self, scale):
        self.own = scale  # at import

    name = "set"


_SCALES = [_WithProperty(2.0), _WithAttribute(3.0), _WithSetter(1.5)]
_SCALES[1].name = "own"
_CHOSEN: dict = {}


@case(inputs=SERIES)
class SlotsThatSubclassesOverride(nn.Module):
    """A table outside of the model holds objects; other attributes lie over slots of theirs."""

    def __init__(self):
        super().__init__()
        _CHOSEN.clear()

    def forward(self, x):
        if "first" not in _CHOSEN:
            _CHOSEN["first"], _CHOSEN["last"] = _SCALES[0], _SCALES[-1]
        if x.sum() > 0:
            return x * _CHOSEN["first"].scale, [each.name for each in _SCALES]
        return x * _CHOSEN["last"].scale, _CHOSEN["first"].name


_MANY: dict = {}


@case(inputs=SERIES)
class SeveralTables(nn.Module):
    """A first call fills several tables, in a loop and by methods."""

    def __init__(self):
        super().__init__()
        _MANY.clear()

    def forward(self, x):
        if 0 not in _MANY:
            for place in range(70):
                _MANY[place] = (place, [place * 2])
            _MANY.update({"last": 7})
        steps = _MANY.setdefault("steps", [])
        return x * _MANY[69][1][0] if x.sum() > 0 else x * len(_MANY) + len(steps)


_UNSET: dict = {}


@case(inputs=SERIES, refused="DYCL034")
class HoldsWhatIsNotSet(nn.Module):
    """No call is tried where a table holds a parameter that a call may give its shape"""

    def __init__(self):
        super().__init__()
        _UNSET.clear()
        _UNSET["layers"] = [nn.LazyLinear(2)]  # at import

    def forward(self, x):
        _UNSET["act"] = nn.ReLU()  # <- refused
        _UNSET["layers"].append(_UNSET["act"])
        return _UNSET["act"](x)
