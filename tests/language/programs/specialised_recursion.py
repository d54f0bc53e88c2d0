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


@case(inputs=[(POSITIVE, 3, 2.0), (MIXED, 0, 0.5), (MIXED, 2, 0.1)])
def closure_over_run_time_values(x, n, scale):
    """A local function reads variables of the function around it."""
    offset = x.mean()

    def again(y, k):
        if k == 0:
            return y + offset
        return again(y * scale, k - 1)

    return again(x, n)


@case(inputs=[(POSITIVE, 3), (MIXED, 0)])
def nonlocal_counter(x, n):
    """A local function changes a variable of the function around it."""
    calls = 0

    def again(y, k):
        nonlocal calls
        calls += 1
        if k == 0:
            return y
        return again(y + 1, k - 1)

    y = again(x, n)
    return y, calls


class _Box:
    def __init__(self, value):
        self.value = value
        self.steps = 0


def _fill(box, n):
    if n > 0:
        box.value = box.value * 2
        box.steps += 1
        _fill(box, n - 1)


@case(inputs=[(POSITIVE, 3), (MIXED, 0)])
def object_changed_below(x, n):
    """An object that the caller made is changed by the calls."""
    box = _Box(x)
    _fill(box, n)
    return box.value, box.steps


def _swap(pair, n):
    if n == 0:
        return
    pair[0], pair[1] = pair[1], pair[0] + 1
    _swap(pair, n - 1)


@case(inputs=[(POSITIVE, 3), (MIXED, 0), (MIXED, 2)])
def list_items_changed_below(x, n):
    """The items of a list of known length are changed by the calls."""
    pair = [x, -x]
    same = pair
    _swap(pair, n)
    return pair[0], same[1]


class _Number:
    def __init__(self, value, count):
        self.value = value
        self.count = count


def _numbers(x, n):
    if n == 0:
        return _Number(x, 0)
    below = _numbers(x + 1, n - 1)
    return _Number(below.value * 2, below.count + 1)


@case(inputs=[(POSITIVE, 3), (MIXED, 0)])
def objects_made_below(x, n):
    """A recursion returns objects that it makes."""
    found = _numbers(x, n)
    return found.value, found.count


@case(inputs=[(POSITIVE, 2), (MIXED, 0), (NEGATIVE, 1)])
def recursion_in_a_loop(x, n):
    """A recursive function is called in a loop with an unknown number of rounds."""

    def half(y, k):
        return y if k == 0 else half(y / 2, k - 1)

    total = x
    for i in range(n):
        total = total + half(x, i)
    return total


def _branching(x, n):
    total = x
    for i in range(n):
        total = total + _branching(x * 0.5, i)
    return total


@case(inputs=[(POSITIVE, 3), (MIXED, 0), (NEGATIVE, 1)])
def loop_in_a_recursion(x, n):
    """A function calls itself in a loop with an unknown number of rounds."""
    return _branching(x, n)


@case(inputs=[(POSITIVE, 3), (MIXED, 0)])
def written_after_the_call(x, n):
    """A result that may be the argument itself is written in place: refused or right."""

    def again(y, k):
        return y if k == 0 else again(y + 1, k - 1)

    y = x * 1
    z = again(y, n)
    z = z + 0
    z += 1
    return y, z


@case(inputs=[(POSITIVE, 3), (MIXED, 0)], refused="DYCL035")
def ambiguous_write_after_the_call(x, n):
    """Writing into a result that may or may not be the argument is refused."""

    def again(y, k):
        return y if k == 0 else again(y + 1, k - 1)

    y = x * 1
    z = again(y, n)
    z += 1  # <- refused
    return y, z


@case(inputs=[(POSITIVE, 3), (MIXED, 0)])
def fresh_result_written(x, n):
    """A result that is always new may be written in place."""

    def again(y, k):
        return y * 2 if k == 0 else again(y + 1, k - 1)

    y = x * 1
    z = again(y, n)
    w = again(y, n)
    z += 1
    return y, z, w


@case(inputs=[(POSITIVE, 3), (MIXED, 0)], refused="DYCL034")
def argument_written_below(x, n):
    """A recursive function that writes into its argument is refused."""

    def again(y, k):
        if k == 0:
            return y
        y += 1  # <- refused
        return again(y, k - 1)

    return again(x * 1, n)


@case(inputs=[(POSITIVE, 3), (MIXED, 0)], refused="DYCL025")
def result_grows(x, n):
    """A result with another shape for every depth is refused."""

    def again(y, k):
        return y if k == 0 else torch.cat([again(y, k - 1), y])

    return again(x, n)  # <- refused
