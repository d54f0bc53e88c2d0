"""Generators that ask themselves for items until run-time values end it, taken as a whole."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]
COUNTS = [(POSITIVE, number) for number in (3, 0, 1, 5)]


class Node:
    """A node of a tree that the call makes."""

    def __init__(self, value, left=None, right=None):
        self.value = value
        self.left = left
        self.right = right


def grown(depth, value):
    """Make a tree that is deep on one side."""
    root = None
    while depth > 0:
        root = Node(value * depth, root, Node(value - depth) if depth % 2 else None)
        depth -= 1
    return root


def walk(node):
    """Yield values in order."""
    if node is not None:
        yield from walk(node.left)
        yield node.value
        yield from walk(node.right)


@case(inputs=COUNTS)
def in_order(x, n):
    """A tree of run time is walked into a list."""
    values = list(walk(grown(n, x)))
    return torch.stack(values) if values else x


def counted(n):
    """Yield numbers down to one."""
    if n > 0:
        yield n
        yield from counted(n - 1)


@case(inputs=COUNTS)
def builtins_that_take_all(x, n):
    """Sums, sets, sorted lists, extremes, tuples."""
    most = max(counted(n)) if n > 0 else 0
    return x * sum(counted(n)), sorted(counted(n)), tuple(counted(n)), most, len(set(counted(n)))


@case(inputs=COUNTS)
def spread_out(x, n):
    """In lists and tuples, beside other elements."""
    return [0, *counted(n), n], (*counted(n), *counted(n + 1)), x


@case(inputs=ROWS)
class Refining(nn.Module):
    """A method that goes on while there is something left."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3, bias=False)

    def steps(self, x):
        """Yield what each step gives."""
        y = self.linear(x) * 0.5
        yield y
        if y.abs().sum().item() > 0.3:
            yield from self.steps(y)

    def forward(self, x):
        """Average over all steps."""
        return torch.stack([*self.steps(x)]).mean(0)


@case(inputs=COUNTS)
def effects_in_their_order(x, n):
    """What it prints, and what it puts elsewhere, comes in order; it ends once."""
    seen = []

    def down(number):
        print("asks", number)
        if number > 0:
            seen.append(number)
            yield number * x
            print("goes on", number)
            yield from down(number - 1)
        print("ends", number)

    items = down(n)
    first = list(items)
    return first, list(items), len(seen)


@case(inputs=COUNTS)
def an_error_on_the_way(x, n):
    """What it raises is caught where its items are taken."""

    def down(number):
        if number == 2:
            raise ValueError("two")
        if number > 0:
            yield number
            yield from down(number - 1)

    try:
        return x, list(down(n))
    except ValueError as error:
        return x, str(error)


@case(inputs=COUNTS, refused="DYCL023")
def a_key_that_prints(x, n):
    """The key is asked between the items."""

    def down(number):
        print("asks", number)
        if number > 0:
            yield number
            yield from down(number - 1)  # <- refused

    def key(number):
        print("has", number)
        return -number

    return x, max(down(n), key=key, default=0)


@case(inputs=COUNTS, refused="DYCL023")
def what_a_loop_does_in_between(x, n):
    """A loop changes what the generator reads."""
    left = [n]

    def down():
        if left[0] > 0:
            yield left[0]
            yield from down()  # <- refused

    for number in down():
        x = x + number
        left[0] = number - 1
    return x


def changed_later(x, number):
    """Yield tensors, and write into each when the next one is asked for."""
    if number > 0:
        y = x * number
        yield y
        y.add_(1.0)
        yield from changed_later(x, number - 1)


@case(inputs=COUNTS)
def gathered_and_changed_later(x, n):
    """A list has what became of them."""
    items = list(changed_later(x, n))
    return torch.stack(items) if items else x


@case(inputs=COUNTS, refused="DYCL041")
def added_before_they_change(x, n):
    """A sum has what they were when they came."""
    return sum(changed_later(x, n)) + x  # <- refused


class Added:
    """A number that says when it is added."""

    def __init__(self, number):
        self.number = number

    def __radd__(self, other):
        print("adds", self.number)  # never
        return self.number + other  # never


@case(inputs=COUNTS, refused="DYCL041")
def operators_in_between(x, n):
    """The items are added one by one, each before the next is asked for."""

    def down(number):
        print("asks", number)
        if number > 0:
            yield Added(number)
            yield from down(number - 1)

    return x, sum(down(n))  # <- refused


@case(inputs=COUNTS, refused="DYCL023")
def stopped_by_its_own_error(x, n):
    """A StopIteration of a generator's body leaves it as a RuntimeError."""

    def down(number):
        if number == 2:
            raise StopIteration
        if number > 0:
            yield number
            yield from down(number - 1)  # <- refused

    try:
        return x, list(down(n))
    except RuntimeError:
        return x, []


@case(inputs=COUNTS, refused="DYCL023")
def stopped_by_what_it_calls(x, n):
    """Likewise where a function raises it that the generator calls."""

    def checked(number):
        if number == 2:
            raise StopIteration
        return number

    def down(number):
        if number > 0:
            yield checked(number)  # <- refused
            yield from down(number - 1)

    try:
        return x, list(down(n))
    except StopIteration:
        return x + 1, []  # never
    except RuntimeError:
        return x, []
