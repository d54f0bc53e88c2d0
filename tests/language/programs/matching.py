"""match: every kind of pattern, over known and run-time subjects."""

import array
import enum

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

SIGNS = [(POSITIVE,), (NEGATIVE,), (MIXED,), (ZERO,)]


@case(inputs=SIGNS)
def numbers(x):
    """Literals, alternatives, a guard and a capture over a run-time number."""
    n = int(x.sum().item())
    match n:
        case 0:
            return x
        case 10 | 11:  # known
            return x + 1
        case -10:
            return x - 5
        case negative if negative < 0:  # known
            return x * negative  # known
        case _:  # never
            return x * 2  # never


@case(inputs=SIGNS)
def no_case_holds(x):
    """Where no case holds nothing happens."""
    result = x
    match x.sum().item() > 0:
        case True if x.max() > 100:  # known
            result = x + 1  # never
    return result


class Mode(enum.Enum):
    """How to go on."""

    FAST = 1
    SLOW = 2


@case(inputs=SIGNS)
def strings_and_enums(x):
    """Values with dots, strings, None and singletons."""
    name = "fast" if x.sum() > 0 else "slow"
    match name:
        case "fast":
            mode = Mode.FAST
        case other:
            mode = Mode.SLOW if other == "slow" else None  # known
    match mode:
        case Mode.FAST:
            return name, x
        case None:  # known
            return name, x + 1  # never
        case Mode.SLOW:  # known
            return name, x - 1


@case(inputs=SIGNS)
def sequences(x):
    """Fixed lengths, stars, nested sequences; strings and tensors are no sequences."""

    def kind(value):
        match value:
            case []:
                return "empty"
            case [one]:
                return "one", one
            case [1, *rest]:
                return "from 1", rest
            case (a, [b, *_], *_, z):  # known
                return "nested", a, b, z
            case [*_, last]:
                return "last", last
            case _:
                return "other"

    n = int(x.sum().item())
    return [
        kind([]), kind((n,)), kind([1, 2, n]), kind((n, [3, 4], 5, x)), kind([7, 8]),
        kind("ab"), kind(x), kind(range(2)), kind(x.shape),
    ]  # fmt: skip


@case(inputs=SIGNS)
def mappings(x):
    """Keys must be there; the rest is captured without them."""
    n = int(x.sum().item())
    config = {"kind": "scale", "by": n, "extra": 1}
    match config:
        case {"kind": "shift"}:  # known
            return x  # never
        case {"kind": "scale", "by": 0, **rest}:  # known
            return x, rest
        case {"kind": "scale", "by": int(by), **rest}:  # known
            return x * by, rest
    return None  # never


@case(inputs=SIGNS)
def several_subjects(x):
    """A tuple of run-time values; a name in the pattern is bound after the match."""
    match (x.sum().item() > 0, int(x.max().item())):
        case (True, 3):  # known
            result = "three"
        case (True, n):  # known
            result = n  # never
        case (False, (0 | 1) as n):  # known
            result = -n
        case pair:
            result = pair
    return result


@case(inputs=SIGNS)
class Dispatch(nn.Module):
    """match in a loop with break and return in its cases."""

    def __init__(self):
        super().__init__()
        self.steps = ["double", ("add", 1.0), "stop?", ("add", 2.0)]

    def forward(self, x):
        for step in self.steps:
            match step:
                case "double":
                    x = x * 2
                case ("add", amount):  # known
                    x = x + amount
                case "stop?":  # known
                    if x.sum() < 0:
                        break
                    continue
        return x


class Keys:
    """The same key under two names."""

    KIND = "kind"
    SORT = "kind"


@case(inputs=SIGNS)
def one_key_twice(x):
    """A key that a pattern names twice is a ValueError, if the pattern gets as far as that."""
    config = {"kind": x.sum().item(), "by": 1}
    match config:
        case {"none": _, Keys.KIND: _, Keys.SORT: _}:  # known
            return 0  # never
        case {Keys.KIND: _, "none": _}:  # known
            return 1  # never
    if config["kind"] > 5:
        match config:
            case {Keys.KIND: _, Keys.SORT: _}:  # known
                return 2  # never
    return config["kind"]


PAIR = array.array("i", [1, 2])


@case(inputs=SIGNS, refused="DYCL056")
def other_sequences(x):
    """Objects of other classes are sequences and mappings, too: none of them is passed by."""
    match PAIR:
        case [one, two]:  # known <- refused
            return x * one * two
    return x  # never


COUNTED = [(torch.ones(2, 3), n) for n in range(6)]


@case(inputs=COUNTED)
def lists_of_run_time(x, n):
    """A list that exists at run time only is asked for its length, and then for its items."""
    found = [i * 2 for i in range(n)]
    match found:
        case []:
            return x
        case [one]:
            return x + one
        case [one, 2]:  # known
            return x - one
        case [_, first, *rest] if len(rest) == 1:  # known
            return x * first, rest
        case (*start, last, 8):  # known
            return start, last, found
        case [*all_of_it]:  # known
            all_of_it.append(7)
            return all_of_it, found


@case(inputs=COUNTED)
def lists_of_tensors_of_run_time(x, n):
    """Items that are tensors are taken, and given back by those that nobody looks at."""
    rows = []
    while len(rows) < n:
        rows.append(x * len(rows))
    match rows:
        case [first, *_, last]:
            last = last + first
        case [last]:
            last.add_(5)
        case _:
            last = x
    return last, rows


@case(inputs=COUNTED)
def records_in_lists_of_run_time(x, n):
    """Each item is matched with a pattern of its own: tuples, numbers, alternatives."""
    steps = [("keep" if i % 2 else "drop", i) for i in range(n)]
    while steps:
        match steps:
            case [("drop", count), *steps]:  # known
                x = x + count
            case [("keep" | "hold", 1), ("drop", count), *steps]:  # known
                x = x * count
            case [_, *steps]:  # known
                x = x - 1
    return x


@case(inputs=COUNTED)
def tuples_of_run_time(x, n):
    """A tuple of unknown length; what a star takes of it is a list."""
    found = tuple(range(n))
    match found:
        case (0, *rest, 3 | 4):  # known
            rest.reverse()
            return x, rest
        case (0, *_):  # known
            return x * 2, found
    return x, None
