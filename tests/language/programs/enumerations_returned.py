"""Members of enumerations in results: the host package declares the enumeration anew."""

import enum
from dataclasses import dataclass
from enum import Enum, IntEnum

import torch
from torch import Tensor, nn

from tests.language.harness import case, noise

ROWS = [(noise(4, seed=s),) for s in range(4)] + [(torch.zeros(4),)]


class Reason(Enum):
    """Why a loop ended."""

    CONVERGED = "converged"
    TIRED = "out of steps"
    GIVEN_UP = "out of steps"


class Level(IntEnum):
    LOW = 1
    HIGH = 3


class Word(str, Enum):
    YES = "yes"
    NO = "no"

    def opposite(self) -> "Word":
        return Word.NO if self is Word.YES else Word.YES


class Span(Enum):
    SHORT = (0, 1)
    LONG = (1, enum.auto)


class Range(Enum):
    LEFT = (-1, 0)
    RIGHT = (0, None)


class Loud(Enum):
    ON = 1
    OFF = 2

    def __str__(self) -> str:
        return self.name + "!"  # never


@dataclass
class Outcome:
    value: Tensor
    reason: Reason
    steps: int = 0


@case(inputs=ROWS)
class HalvedUntilSmall(nn.Module):
    """A dataclass says by a member why the loop ended; aliases are the first member."""

    def forward(self, x):
        for step in range(3):
            if x.abs().sum() < 1:
                return Outcome(x, Reason.CONVERGED, step)
            x = x / 2
        return Outcome(x, Reason.GIVEN_UP, steps=3)


@case(inputs=ROWS)
def members_of_every_kind(x):
    """Enumerations of numbers, of texts and of tuples; in tuples, lists and as keys of dicts."""
    level = Level.HIGH if x[0] > 0 else Level.LOW
    word = Word.YES if x[1] > 0 else Word.NO
    side = [Range.LEFT if x[2] > 0 else Range.RIGHT]
    return level, word.opposite(), side, {Range.LEFT: x.sum(), word: 1}


@case(inputs=ROWS)
def a_member_looked_up(x):
    """By its value or its name, which the input decides; numbers computed of it are numbers."""
    level = Level(1 + 2 * int(x[0] > 0))
    return level, Word[("YES", "NO")[int(x[1] > 0)]], level + 1, level * x


@case(inputs=ROWS)
def members_in_a_list_of_run_time(x):
    """One member for each element; text is made of them as of the program's own."""
    words = [Word.YES if v > 0 else Word.NO for v in x.tolist()]
    return words, f"{words[0].value} {Level.HIGH}"


@case(inputs=ROWS, refused="DYCL065")
def an_enumeration_of_objects(x):
    """A member whose value is more than a literal has no other file to be declared in."""
    return x, Span.LONG if x.sum() > 0 else Span.SHORT  # <- refused


@case(inputs=ROWS, refused="DYCL065")
def members_with_a_text_of_their_own(x):
    """The host would write such a member otherwise."""
    return x, Loud.ON if x.sum() > 0 else Loud.OFF  # <- refused
