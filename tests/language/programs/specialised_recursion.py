"""Functions that call themselves until run-time values end it: one host function each."""

import torch
from torch import nn

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, ZERO, case

TIMES = [(POSITIVE, 0), (POSITIVE, 1), (MIXED, 6), (NEGATIVE, 3)]


@case(inputs=TIMES)
class GateAppliedNTimes(nn.Module):
    """A method that applies a layer as often as a number says."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(3, 3)

    def again(self, x, n):
        return x if n <= 0 else self.again(torch.tanh(self.gate(x)), n - 1)

    def forward(self, x, n):
        return self.again(x, n) + 1


@case(inputs=TIMES)
class ForwardCallsItself(nn.Module):
    """``forward`` itself is the function that recurses, through ``self(...)``."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(3, 3)

    def forward(self, x, n):
        if n <= 0:
            return x
        return self(self.gate(x), n - 1) * 2


def _collatz(x, n):
    if n <= 1:
        return x
    if n % 2 == 0:
        return _collatz(x * 0.5, n // 2)
    return _collatz(x + 1, 3 * n + 1)


@case(inputs=[(POSITIVE, 1), (POSITIVE, 6), (MIXED, 7)])
def two_recursive_returns(x, n):
    """The recursive call stands in both arms of a test."""
    return _collatz(x, n)


def _tree_sum(x, n):
    if n < 2:
        return x * n
    return _tree_sum(x, n - 1) + _tree_sum(x * 0.5, n - 2)


@case(inputs=[(POSITIVE, 0), (POSITIVE, 1), (MIXED, 5)])
def fibonacci_of_tensors(x, n):
    """Two recursive calls in one expression, of tensors."""
    return _tree_sum(x, n)


def _ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return _ackermann(m - 1, 1)
    return _ackermann(m - 1, _ackermann(m, n - 1))


@case(inputs=[(0, 0), (1, 2), (2, 2)])
def ackermann(m, n):
    """The result of a recursive call is an argument of another one."""
    return _ackermann(m, n)


@case(inputs=[(3, 0), (7, 4), (12, 18)])
def greatest_common_divisor(a, b):
    """Arguments change places."""

    def divide(a, b):
        return a if b == 0 else divide(b, a % b)

    return divide(a, b)


@case(inputs=[(POSITIVE, 4), (MIXED, 0), (NEGATIVE, 5)])
class RecurrentCell(nn.Module):
    """A recursion that returns a tuple of tensors, like a cell with two states."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(3, 3)

    def run(self, x, h, c, steps):
        if steps == 0:
            return h, c
        h, c = self.cell(x, (h, c))
        return self.run(x, h, c, steps - 1)

    def forward(self, x, steps):
        h, c = self.run(x, torch.zeros(2, 3), torch.zeros(2, 3), steps)
        return h, (c, h + c)


def _settle(x, depth=0):
    if x.abs().max() <= 1:
        return x, depth
    return _settle(x / 2, depth + 1)


@case(inputs=[(ZERO,), (POSITIVE,), (LARGE,), (LARGE * 1e9,)])
def depth_is_counted_down_there(x):
    """A default argument grows with every call: it becomes a run-time number."""
    y, depth = _settle(x)
    return y * 3, depth


def _count(x):
    if x.sum() < 1:
        return 0
    return 1 + _count(x - 1)


@case(inputs=[(NEGATIVE,), (POSITIVE,), (LARGE,)])
def depth_is_counted_up_here(x):
    """The number of calls is known only when they return."""
    return _count(x)


def _sign(x, n):
    if n == 0:
        return None
    if x.sum() > 5:
        return x
    return _sign(x + 1, n - 1)


@case(inputs=[(POSITIVE, 3), (NEGATIVE, 3), (NEGATIVE, 0), (ZERO, 1)])
def sometimes_none(x, n):
    """A recursion that finds something, or nothing: the caller tests which."""
    found = _sign(x, n)
    if found is None:
        return x * 0, False
    return found, True


def _widths(x, n):
    if n == 0:
        return x[:, :1]
    if n == 1:
        return x[:, :2]
    return _widths(x, n - 2)


@case(inputs=[(POSITIVE, 2), (POSITIVE, 3), (MIXED, 0), (MIXED, 1)])
def results_of_two_shapes(x, n):
    """What comes back has one of two shapes."""
    part = _widths(x, n)
    return part.sum(), part.shape[1]


def _checked(x, n):
    if n < 0:
        raise ValueError("negative")
    return x if n == 0 else _checked(x * 2, n - 2)


@case(inputs=[(POSITIVE, 4), (POSITIVE, 0), (POSITIVE, 3)])
def exception_from_below(x, n):
    """An exception leaves all the calls."""
    return _checked(x, n)


@case(inputs=[(POSITIVE, 4), (POSITIVE, 0), (POSITIVE, 3)])
def exception_caught_above(x, n):
    """An exception of the innermost call is caught by the outermost caller."""
    try:
        y = _checked(x, n)
    except ValueError:
        return x - 1, "odd"
    return y, "even"


def _guarded(x, n):
    if n == 1:
        raise ValueError("one")
    if n == 0:
        return x
    try:
        return _guarded(x + 1, n - 2)
    except ValueError:
        return x * 10


@case(inputs=[(POSITIVE, 4), (POSITIVE, 0), (POSITIVE, 5), (POSITIVE, 1)])
def exception_caught_on_the_way(x, n):
    """Each call catches what the call below raises."""
    return _guarded(x, n)


def _ping(x, n):
    return x if n == 0 else _pong(x * 2, n - 1)


def _pong(x, n):
    return x + 100 if n == 0 else _ping(x - 1, n - 1)


@case(inputs=[(POSITIVE, 0), (MIXED, 1), (MIXED, 4)])
def two_functions_in_turn(x, n):
    """Mutual recursion over tensors."""
    return _ping(x, n), _pong(x, n)


def _move(count, a, b, c, moves):
    if count <= 0:
        return 0
    before = _move(count - 1, a, c, b, moves)
    moves.append((count, a, b))
    return before + 1 + _move(count - 1, c, b, a, moves)


@case(inputs=[(POSITIVE, 3), (POSITIVE, 0), (POSITIVE, 1), (POSITIVE, 5)])
def constants_that_trade_places(x, n):
    """The towers of Hanoi: six functions for the orders of the names, each calls others."""
    moves = []
    return x, _move(n, "A", "B", "C", moves), moves
