"""Recursion on run-time structures and numbers."""

import torch
from torch import nn

from tests.language.harness import LARGE, NEGATIVE, POSITIVE, ZERO, case


@case(inputs=[(0,), (1,), (6,)])
def factorial(n):
    """A function that calls itself with a run-time number."""

    def product(k):
        return 1 if k <= 1 else k * product(k - 1)

    return product(n)


def _fibonacci(n):
    if n < 2:
        return n
    return _fibonacci(n - 1) + _fibonacci(n - 2)


@case(inputs=[(0,), (2,), (7,)])
def fibonacci(n):
    """Two recursive calls in one expression."""
    return _fibonacci(n)


def _halve(x, depth):
    if x.abs().max() < 1 or depth == 0:
        return x, depth
    return _halve(x / 2, depth - 1)


@case(inputs=[(POSITIVE,), (LARGE,), (ZERO,), (LARGE * 100,)])
def tail_recursion_on_tensor(x):
    """Recursion under a dynamic test with a known bound of depth."""
    y, left = _halve(x, 5)
    return y, left


@case(inputs=[(POSITIVE,), (LARGE * 10,), (ZERO,)])
class UnboundedRecursion(nn.Module):
    """A method that calls itself until a tensor test fails."""

    def __init__(self):
        super().__init__()
        self.shrink = nn.Parameter(torch.tensor(0.6))

    def settle(self, x):
        if x.sum() > 3:
            return self.settle(x * self.shrink)
        return x

    def forward(self, x):
        return self.settle(x) + 1


def _is_even(n):
    return True if n == 0 else _is_odd(n - 1)


def _is_odd(n):
    return False if n == 0 else _is_even(n - 1)


@case(inputs=[(0,), (3,), (4,)])
def mutual_recursion(n):
    """Two functions that call each other."""
    return _is_even(n), _is_odd(n)


@case(inputs=[(3,), (0,), (4,)])
def recursion_with_list(n):
    """A list that is passed down, appended to and taken back (backtracking)."""
    results = []

    def choose(prefix, left):
        if left == 0:
            results.append(list(prefix))
            return
        for step in (1, 2):
            if step <= left:
                prefix.append(step)
                choose(prefix, left - step)
                prefix.pop()

    choose([], n)
    return results, len(results)


NESTED = [POSITIVE, [NEGATIVE, [POSITIVE, POSITIVE]], NEGATIVE]


@case(inputs=[(NESTED,), ([LARGE, [POSITIVE, [NEGATIVE, NEGATIVE]], ZERO],)])
def nested_list_argument(items):
    """A nested list of tensors is folded by a recursive function that tests types."""

    def fold(value):
        if isinstance(value, list):  # known
            return sum(fold(part) for part in value)
        return value if value.sum() > 0 else value * 0.1

    return fold(items)


@case(inputs=[(5, 2), (3, 0), (4, 4)])
def memoised(n, k):
    """Recursion with a dict as memory of earlier results."""
    memory = {}

    def binomial(a, b):
        if b in (0, a):
            return 1
        if (a, b) not in memory:
            memory[a, b] = binomial(a - 1, b - 1) + binomial(a - 1, b)
        return memory[a, b]

    return binomial(n, k), len(memory)


@case(inputs=[([1, [2, [3, []]]],), ([1, [2, [3, []]]],)])
def deep_list_of_numbers(tree):
    """Recursion over nested lists of run-time numbers; depth and sum together."""

    def walk(node):
        if not isinstance(node, list):  # known
            return node, 0
        total, depth = 0, 0
        for child in node:
            value, below = walk(child)
            total += value
            depth = max(depth, below)
        return total, depth + 1

    return walk(tree)


def _halved(x):
    if x.abs().sum() < 4:
        return x.detach() + 1
    return _halved(x / 2) - x


@case(inputs=[(POSITIVE,), (NEGATIVE * 4,), (POSITIVE / 8,)])
def views_where_it_ends(x):
    """What ends a recursion may be made of a view of an argument."""
    return _halved(x * 2)
