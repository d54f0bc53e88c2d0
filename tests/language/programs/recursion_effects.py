"""What functions that call themselves change for their callers, and what they may not."""

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case


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


@case(inputs=[(POSITIVE, 3), (MIXED, 0)])
def ambiguous_write_after_the_call(x, n):
    """Writing into a result that may or may not be the argument: paths stay apart."""

    def again(y, k):
        return y if k == 0 else again(y + 1, k - 1)

    y, w = x * 1, x * 2
    z, v = again(y, n), again(w, n)
    z += 1
    v.mul_(2)
    return y, z, w, v


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


@case(inputs=[(POSITIVE, 3), (MIXED, 0)])
def argument_written_below(x, n):
    """A recursive function may write into its argument."""

    def again(y, k):
        if k == 0:
            return y
        y += 1
        return again(y, k - 1)

    return again(x * 1, n)


@case(inputs=[(POSITIVE, 3), (MIXED, 0)], refused="DYCL025")
def result_has_more_dimensions(x, n):
    """A result with more dimensions for every depth is refused."""

    def again(y, k):
        return y if k == 0 else again(y, k - 1).unsqueeze(0)

    return again(x, n)  # <- refused


def _visit(function, x, n):
    function(x)
    if n > 0:
        _visit(function, x * 2, n - 1)


@case(inputs=[(POSITIVE, 3), (MIXED, 0)])
def callback_with_a_memory(x, n):
    """A function that is handed down changes a variable of the function that defined it."""
    total = x * 0
    calls = 0

    def collect(y):
        nonlocal total, calls
        total = total + y
        calls += 1

    _visit(collect, x, n)
    return total, calls


def _spread(x, n, found):
    if n == 0:
        return
    found.append(x)
    _spread(x + 1, n - 1, found)


@case(inputs=[(POSITIVE, 3), (MIXED, 0)], may_refuse=True)
def appended_then_written(x, n):
    """A tensor that a call appends to a list is written in place afterwards."""
    found = []
    for i in range(n):
        found.append(x * i)
    y = x * 1
    _spread(y, n, found)
    y += 100
    total = x * 0
    for item in found:
        total = total + item
    return total, len(found), y


@case(inputs=[(POSITIVE, 3), (MIXED, 0)])
def appended_by_calls(x, n):
    """A list that grows in a loop, and in calls."""
    found = []
    for i in range(n):
        found.append(x * i)
    _spread(x * 1, n, found)
    total = x * 0
    for item in found:
        total = total + item
    return total, len(found)
