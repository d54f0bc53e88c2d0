"""Texts of what the host has in another form: shapes, dtypes, objects, containers of these."""

import json
from collections import OrderedDict
from dataclasses import dataclass
from heapq import nsmallest

import torch

from tests.language.harness import POSITIVE, case, noise

ROWS = [(noise(3, seed=s),) for s in range(3)]


@dataclass
class Point:
    x: float


def points(x):
    """Return as many objects as the input says: a list of run time."""
    found = []
    i = 0
    while i < int(x.abs().sum()):
        found.append(Point(float(i)))
        i += 1
    return found


@case(inputs=ROWS)
def shapes_beside_numbers(x):
    """A shape is written as torch.Size, not as the tuple that the host has, and a dtype by name."""
    number = round(x[0].item(), 1)
    print(x.shape, number, x.dtype, x.device)
    text = "%s has %.1f, %s" % (x.shape, number, x.dtype)
    return text, "{} has {}, {n}".format(x.shape, number, n=x.dtype), "%s" % number


@case(inputs=ROWS)
def numbers_in_containers(x):
    """Lists and tuples of numbers and strings are the host's as they are."""
    number = round(x[0].item(), 1)
    print([number, "a"], (number, None))
    return "%s" % [number, 1], "%s and %r" % ((number, "b"), "c"), "{}".format({"d": number})


@case(inputs=ROWS, refused="DYCL054")
def shape_in_a_list(x):
    """Inside of a container a shape would be a tuple."""
    return "%s" % [x.shape, x[0].item()]  # <- refused


@case(inputs=ROWS, refused="DYCL054")
def shape_in_a_format(x):
    """So would it be with a format of its own."""
    return "{!s:>30}{}".format(x.shape, x[0].item())  # <- refused


@case(inputs=ROWS, refused="DYCL046")
def shape_in_a_printed_tuple(x):
    """So is one that is printed."""
    print((x.shape, x[0].item()))  # <- refused
    return x


@case(inputs=ROWS, refused="DYCL054")
def objects_of_run_time(x):
    """The host has dicts for the objects of a list of run time."""
    return "%s" % points(x)  # <- refused


@case(inputs=ROWS, refused="DYCL046")
def objects_of_run_time_printed(x):
    """Printed, too."""
    print(points(x))  # <- refused
    return x


@case(inputs=ROWS, refused="DYCL054")
def objects_of_run_time_formatted(x):
    """And formatted."""
    return "{}".format(points(x))  # <- refused


@case(inputs=[(POSITIVE,), (-POSITIVE,), (POSITIVE - 1.2,)])
def sizes_of_run_time(x):
    """torch.Size is not written as the tuple that the host has."""
    kept = x[x[:, 0] > 0]
    texts = f"{kept.shape}", f"{kept.shape!s:>24}", f"{kept.size()!r}"
    if kept.shape[0] % 2:
        raise ValueError(f"{kept.shape} of {x.shape}, {tuple(kept.shape)}")
    return texts, str(kept.size()), repr(kept.shape)


@case(inputs=[(POSITIVE,), (-POSITIVE,)], refused="DYCL054")
def sizes_in_a_width(x):
    """torch.Size has no formats: PyTorch raises."""
    kept = x[x[:, 0] > 0]
    return f"{kept.shape:>24}"  # <- refused


@case(inputs=ROWS)
def ordered_dicts(x):
    """An OrderedDict is no dict in a text, be its items known or not."""
    known, number = OrderedDict(a=1), round(x[0].item(), 1)
    if x[1] > 0:
        known["b"] = 2
    known.move_to_end("a")
    return f"{known} {known!r} {OrderedDict(c=number)}", repr(known.items()), "%s" % known


@case(inputs=ROWS)
def ordered_dicts_given(x):
    """A known OrderedDict that functions of libraries are given."""
    known = OrderedDict(b=1, a=[OrderedDict(c=2)])
    try:
        raise ValueError(known)
    except ValueError as error:
        return json.dumps(known), str(error), nsmallest(1, known), x


class Branching:
    """Writes itself, and all below it."""

    def __init__(self, value, below=()):
        self.value, self.below = value, list(below)

    def __repr__(self):
        return f"<{self.value:.1f} {self.below}>"


@case(inputs=[(1.5,), (-2.0,)])
def objects_in_containers(number):
    """Lists, tuples and dicts of objects that write themselves"""
    tree = Branching(number, [Branching(2 * number), Branching(1.0, [Branching(number + 1)])])
    return repr(tree), str([tree, 1, "x", number]), f"{(tree,)} { {'k': tree, 2: (number, [tree])} }"


@case(inputs=[(1,), (2,)], refused="DYCL054")
def holds_itself(n: int):
    """A dict that holds itself is looked up in, and has no text"""
    table = {"n": n}
    table["self"] = table
    return table["self"]["n"], str(table)  # <- refused
