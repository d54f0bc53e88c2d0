"""Containers of the caller that functions change which call themselves: the caller sees it."""

from types import SimpleNamespace

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case


class Node:
    """A node of a tree."""

    def __init__(self, value, *kids):
        self.value = value  # at import
        self.kids = list(kids)  # at import


LEAF = Node(1.0)
TREE = Node(2.0, Node(0.5), Node(1.5, Node(3.0)))


@case(inputs=[(TREE, POSITIVE, [ZERO], {"n": 0}), (LEAF, NEGATIVE, [MIXED], {"n": 5})])
class VisitedTree(nn.Module):
    """A walk over a tree appends to a list of the caller's and counts in a dict"""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def visit(self, node, x, outs, stats):
        """Visit a node and those below."""
        h = self.layer(x) * node.value
        stats["n"] += 1
        for kid in node.kids:
            h = h + self.visit(kid, h, outs, stats)
        outs.append(h)
        return h

    def forward(self, node, x, outs, stats):
        return self.visit(node, x, outs, stats)


def _checked(x, n, log, limit):
    log["step"] = n
    log["sum"] = x.sum().item()
    if n > limit:
        raise ValueError("too deep", n)
    return x if log["sum"] > 20 else _checked(x * 2, n + 1, log, limit)


DEEP = [(POSITIVE, {"step": 0, "sum": 0.0}, limit) for limit in (5, 1, 0, -1)]


@case(inputs=DEEP)
def raised_below(x, log, limit):
    """What was changed before the recursion raised stays changed"""
    return _checked(x, 0, log, limit)


@case(inputs=DEEP)
def raised_below_and_caught(x, log, limit):
    """The same where the error is caught, and the dict changes again"""
    try:
        y = _checked(x, 0, log, limit)
    except ValueError:
        log["sum"] = -1.0
        y = x
    return y, log["step"]


SEVERAL = ((2, 1), (0, 7), (3, 3))


def _looked_up(x, n, found, index):
    found[0] = found[0] + x
    y = x.flatten()[index + n]
    found[1] = y.item()
    return y if n == 0 else _looked_up(x * 2, n - 1, found, index)


@case(
    inputs=[(x, [ZERO, 0.0], n, i) for x in (POSITIVE, NEGATIVE) for n, i in SEVERAL],
    messages=False,
)
def index_out_of_range_below(x, found, n, index):
    """What was changed before an index below was out of range stays changed"""
    return _looked_up(x, n, found, index)


def _flipped(x, n, found, numbers):
    first = found[0]
    found[0] = x
    number = numbers[n]
    found[0] = first
    return x * number if n == 0 else _flipped(x + 1, n - 1, found, numbers)


@case(inputs=[(x, [ZERO], [2.0, 3.0, 4.0], n) for x in (POSITIVE, NEGATIVE) for n in (2, 0, 1)])
def changed_and_changed_back_below(x, found, numbers, n):
    """A list ends up as it was, after something that might have raised"""
    again = [number + 1 for number in numbers]
    return _flipped(x, n, found, again)


@case(inputs=[(x, [ZERO], [2.0, 3.0], n) for x in (POSITIVE, NEGATIVE) for n in (1, 2, -3)])
def raised_between(x, found, numbers, n):
    """An item that is missing on the way leaves the list as it was then"""
    again = [number + 1 for number in numbers]
    return _flipped(x, n, found, again)


def _halved(x, memory):
    memory.steps += 1
    memory.last = x
    if x.abs().max() < 1:
        return x
    return _halved(x / 2, memory)


@case(inputs=[(x, SimpleNamespace(steps=0), n) for x in (POSITIVE, ZERO) for n in (3, 0, 1)])
def recursion_in_a_loop(x, memory, n):
    """An object changes in a recursion that is called in a loop"""
    total = x
    for step in range(n):
        total = total + _halved(x * step, memory)
    return total, memory.steps


def _total(x, n, rows):
    rows["last"].append(x)
    if n < 0:
        raise IndexError("below zero")
    return x if x.sum() > n * n else _total(x * -1, n - 1, rows)


ROWS = {"first": [ZERO], "last": [ZERO]}


@case(inputs=[(POSITIVE, ROWS, 30), (NEGATIVE, ROWS, 0), (NEGATIVE, ROWS, -1)])
def nested_below(x, rows, n):
    """A list with another length in each call below"""
    rows["first"].append(x)
    return _total(x, n, rows)


def _powers(x, n):
    return x if n == 0 else _powers(x * 2, n - 1)


@case(inputs=[(x.clone(), n) for x in (POSITIVE, NEGATIVE) for n in (2, 0, 3)])
def array_written_around(x, n):
    """A tensor of the caller's is written before and after a recursion"""
    x += 1
    y = _powers(x * 1, n)
    x *= 2
    return y


def _bounded(x, n, limit):
    if n > limit:
        raise ValueError("too deep")
    return x if n == 0 else _bounded(x * 2, n - 1, limit)


@case(inputs=[(x.clone(), n) for x in (POSITIVE, NEGATIVE) for n in (2, 0, 3)])
def array_written_before_an_error(x, n):
    """A tensor of the caller's is written before a recursion raises"""
    x += 1
    y = _bounded(x * 1, n, 2)
    x *= 2
    return y


class Counting(nn.Module):
    """A model that counts its calls."""

    def __init__(self):
        super().__init__()
        self.calls = 0


@case(inputs=[(POSITIVE, [ZERO], 5), (MIXED, [ZERO], -1), (POSITIVE, [ZERO], 0)])
class KeptAndChanged(Counting):
    """A model keeps something, and a recursion changes a list of the caller's"""

    def below(self, x, n, found):
        """Go down until n is reached."""
        found[0] = found[0] + x
        if n < 0:
            raise ValueError("negative")
        return x if n == 0 else self.below(x * 0.5 + self.calls, n - 1, found)

    def forward(self, x, found, n):
        self.calls = self.calls + 1
        return self.below(x, n, found), self.calls
