"""Members of enumerations that are numbers or strings, with values known only at run time."""

import enum

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case


class Special(enum.IntEnum):
    """Tokens with a meaning."""

    PAD = 0
    BEGIN = 1
    END = 2


class Weight(float, enum.Enum):
    """Weights with names."""

    LOW = 0.5
    HIGH = 2.0


class Never(enum.IntEnum):
    """Numbers that equal nothing."""

    ONE = 1

    def __eq__(self, other):
        return False

    __hash__ = int.__hash__


@case(inputs=[(torch.tensor(rows),) for rows in ([3, 0, 2, 1], [4, 1, 0, 0], [2, 2, 2, 2])])
class StopToken(nn.Module):
    """Tokens are compared with the members of an IntEnum, on the host and in tensors"""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(5, 3)

    def forward(self, tokens):
        total = self.table(tokens)[tokens != Special.PAD].sum(0)
        for position in range(4):
            token = int(tokens[position])
            if token == Special.END:
                return total, position
            if token > Special.BEGIN:
                total = total * Weight.HIGH + tokens[position] % Special.END
        return total, -1


@case(inputs=[(x, n) for x in (POSITIVE, NEGATIVE) for n in (0, 1, 2)])
def arithmetic_with_members(x, n):
    """Arithmetic with run-time numbers gives numbers"""
    m = n * Special.END + Special.BEGIN
    scale = (n + 1) * Weight.LOW
    return x * scale + m, m, scale


class Mode(str, enum.Enum):
    """Strings with names."""

    SUM = "sum"
    MEAN = "mean"


@case(inputs=[(x, n) for x in (POSITIVE, NEGATIVE) for n in (0, 1, 2, 3)])
def chosen_among_members(x, n):
    """Membership, match and a string that is known only at run time"""
    mode = "sum" if x.sum() > 0 else "mean"
    y = x.sum() if mode == Mode.SUM else x.mean()
    if n in (Special.PAD, Special.END):
        return y
    match n:
        case Special.BEGIN:
            return y + 1
        case _:
            return -y


@case(inputs=[(x, n) for x in (POSITIVE, NEGATIVE) for n in (0, 1)], may_refuse=True)
def own_equality(x, n):
    """A member whose class says what is equal is asked"""
    if n == Never.ONE:  # known
        return x  # never
    return x + n
