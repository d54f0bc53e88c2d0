"""Members of enumerations chosen by a value or a name known only at run time."""

import enum

import torch

from tests.language.harness import NEGATIVE, POSITIVE, ZERO, case

THREE = [(POSITIVE,), (NEGATIVE,), (ZERO,)]


class Kind(enum.Enum):
    """What is done; two names for one."""

    DOUBLE = 1
    NEGATE = -1
    FLIP = -1


class Way(str, enum.Enum):
    """Strings with names."""

    UP = "up"
    DOWN = "down"


class Lenient(enum.Enum):
    """Takes every number but five."""

    SOME = 1
    MANY = 2

    @classmethod
    def _missing_(cls, value):
        Asked.count += 1
        return None if value == 5 else cls.SOME


class Asked:
    """How often something was asked."""

    count = 0


class Bits(enum.Flag):
    """Numbers that combine."""

    LOW = 1
    HIGH = 2


@case(inputs=THREE)
def by_value(x):
    """Kind(n): the member with this value, ValueError where there is none."""
    sign = int(x.sum().sign())
    try:
        kind = Kind(sign)
    except ValueError as error:
        return x, str(error)
    return (x * 2 if kind is Kind.DOUBLE else -x), kind.name


@case(inputs=THREE)
def by_name(x):
    """Kind[name]: names of aliases give the member, KeyError where there is none."""
    name = "FLIP" if x.sum() < 0 else "".join(["DOUBLE", "X" * int((x == 0).all())])
    try:
        kind = Kind[name]
    except KeyError as error:
        return x, str(error)
    return x * kind.value, kind.name


@case(inputs=THREE)
def by_text(x):
    """A member that is a string, in a dict of functions."""
    way = Way("up" if x.sum() > 0 else "down")
    functions = {Way.UP: torch.relu, Way.DOWN: torch.tanh}
    return functions[way](x), way == "up", way.value.upper()


@case(inputs=THREE)
def by_other_values(x):
    """An enumeration says itself what other values stand for, as often as it is asked."""
    Asked.count = 0
    found = [Lenient(int(x.sum())), Lenient(7), Lenient(2), Lenient(Lenient.MANY)]
    try:
        found.append(Lenient(5))
    except ValueError as error:
        return x * found[0].value, [each.name for each in found], Asked.count, str(error)
    return x  # never


class Mode(str, enum.Enum):
    """Strings with names that are shown as what they are."""

    SUM = "sum "
    MEAN = "mean"

    def title(self):
        return "own"


def _looked_up(mode, modes):
    if isinstance(mode, str):  # known
        mode = mode.strip()
    if mode in {each.value.strip() for each in modes}:  # known
        return mode.upper()
    return "none"  # never


@case(inputs=THREE)
def as_text(x, mode=Mode.SUM):
    """A member that is a string has the methods of one."""
    if x.sum() > 0:
        return x.sum(), _looked_up(mode, Mode), mode.title(), mode.split("u")
    return x.mean(), _looked_up(Mode.MEAN, Mode), Mode.MEAN.join(["a", "b"]), "-".join(Mode)


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL050")
def combined_bits(x):
    """Flags, which combine members, are refused."""
    return x * Bits(int((x > 0).any()) + 1).value  # <- refused
