"""Loops whose trip count is only known at run time."""

import torch
from torch import nn

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, ZERO, case, noise

COUNTS = [(3,), (0,), (1,), (7,), (-2,)]


@case(inputs=[(POSITIVE,), (LARGE,), (ZERO,)])
def while_tensor_test(x):
    """while on a tensor: no turn, one turn, several turns."""
    while x.sum() > 5:
        x = x / 2
    return x


@case(inputs=[(POSITIVE,), (LARGE,), (NEGATIVE,), (ZERO,)])
def while_true_with_breaks(x):
    """while True with several dynamic breaks and a return."""
    steps = 0
    while True:
        total = x.sum()
        if total > 100:
            reason = "large"
            break
        if total == 0:
            return "zero", steps
        x = x * 2
        steps += 1
        if total < -50:
            reason = "negative"
            break
    return x, steps, reason


@case(inputs=COUNTS)
def for_over_runtime_range(n):
    """range(n): the loop variable and a sum are carried."""
    total = 0
    for i in range(n):
        total += i * i
    return total


@case(inputs=COUNTS)
def loop_variable_after_loop(n):
    """The loop variable read after the loop raises where there was no turn."""
    for i in range(n):
        pass
    return i


@case(inputs=[(POSITIVE, 2), (POSITIVE, 0), (NEGATIVE, 5)])
def first_bound_inside(x, n):
    """A tensor first bound inside the loop and read after it, unbound at zero trips."""
    for _ in range(n):
        x = x * 0.5
        y = x + 1
    return y


@case(inputs=[(POSITIVE, 4), (POSITIVE, 0), (LARGE, 4), (NEGATIVE, 9)])
def for_else_unknown(x, n):
    """else of a run-time loop: after exhaustion, after no turn, not after break."""
    for i in range(n):
        x = x + 1
        if x.sum() > 80:
            result = i
            break
    else:
        result = -1
    return x, result


@case(inputs=[(POSITIVE,), (LARGE,), (ZERO - 1,)])
def while_else_unknown(x):
    """else of while runs when the test fails."""
    turns = 0
    while x.mean() > 0:
        x = x - 1
        turns += 1
        if turns == 4:
            break
    else:
        turns = -turns
    return x, turns


@case(inputs=[(POSITIVE, 5), (NEGATIVE, 5), (MIXED, 0)])
def continue_unknown(x, n):
    """continue and else-less ifs in a run-time loop."""
    picked = 0
    for i in range(n):
        x = x + 1
        if x.min() < 0:
            continue
        picked += i
        x = x * 0.5
    return x, picked


@case(inputs=[(48, 18), (7, 7), (5, 0), (0, 0)])
def greatest_common_divisor(a, b):
    """Two numbers trade places in a loop."""
    while b:
        a, b = b, a % b
    return a


@case(inputs=[(1,), (6,), (27,)])
def collatz(n):
    """Arms in a loop over numbers; the count is the result."""
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@case(inputs=[(POSITIVE, 1e-3), (LARGE, 1e-3), (POSITIVE, 1e3)])
def fixed_point_iteration(x, tolerance):
    """Iterate until the change is small; the previous value is carried."""
    y = torch.ones_like(x)
    for _ in range(50):
        previous = y
        y = 0.5 * (y + x / y)
        if (y - previous).abs().max() < tolerance:
            break
    return y


@case(inputs=[(POSITIVE,), (LARGE,), (NEGATIVE,)])
def long_bounded_loop(x):
    """200 equal steps with a dynamic break stay one body."""
    for step in range(200):
        x = x + 0.25
        if x.sum() > 60:
            break
    return x, step


@case(inputs=[(POSITIVE, 2, 3), (POSITIVE, 0, 3), (NEGATIVE, 2, 0), (LARGE, 3, 2)])
def nested_unknown(x, rows, columns):
    """A run-time loop in a run-time loop; break leaves the inner one."""
    visited = 0
    for i in range(rows):
        for j in range(columns):
            visited += 1
            if x.sum() > 40 + i + j:
                break
            x = x * 2
        x = x + 1
    return x, visited


@case(inputs=[(POSITIVE,), (NEGATIVE,), (LARGE,)])
def loop_in_an_arm(x):
    """A run-time loop in one arm of an if, an unrolled one in the other."""
    if x.sum() > 0:
        while x.max() > 1:
            x = x * 0.7
    else:
        for i in range(2):
            x = x - i
    return x


@case(inputs=[(POSITIVE, 3), (POSITIVE, 0), (NEGATIVE, 3)])
def known_becomes_runtime(x, n):
    """Numbers known before the loop are run-time numbers inside it, of the right type."""
    scale, label, flag = 1, "none", False
    for i in range(n):
        if x.sum() > 0:
            scale = scale * 2
            label = "positive"
        flag = not flag
        x = x - i * scale
    return x, scale, label, flag


@case(inputs=[(POSITIVE, 3), (POSITIVE, 0), (POSITIVE, 1)])
def type_changes_in_loop(x, n):
    """A number that starts as int and becomes float; one that starts as None."""
    total, last = 0, None
    for i in range(n):
        total = total + x[0, 0].item()
        last = i
    return total, last, last is None


@case(inputs=[(POSITIVE, 2), (POSITIVE, 0), (POSITIVE, 4)])
def growing_tensor(x, n):
    """A dimension that grows by each turn."""
    history = x[:, :1]
    for i in range(n):
        history = torch.cat([history, history[:, -1:] * 2 + i], dim=1)
    return history, history.shape[1]


@case(inputs=[(LARGE,), (POSITIVE,), (NEGATIVE,)])
def shrinking_tensor(x):
    """A dimension that shrinks until a test holds."""
    flat = x.flatten()
    while flat.numel() > 1 and flat.sum() > 10:
        flat = flat[1:]
    return flat


@case(inputs=[(torch.tensor([2, 0, 1]),), (torch.tensor([0, 0, 0]),)])
def over_tolist(counts):
    """for over .tolist() of known length with run-time numbers, one of them a bound."""
    total = []
    for i, count in enumerate(counts.tolist()):
        for _ in range(count):
            total.append(i)
    return total


@case(inputs=[(POSITIVE, 3), (NEGATIVE, 0), (NEGATIVE, 4)], slow=True)
class StackRepeated(nn.Module):
    """One layer applied a run-time number of times, results kept in a list."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x, depth: int):
        outputs = [x]
        for _ in range(depth):
            x = torch.tanh(self.layer(x))
            outputs.append(x)
        return outputs[-1], len(outputs), torch.stack(outputs).mean(0)


@case(inputs=[(noise(5, 3), 3), (noise(5, 3), 0), (noise(5, 3), 5)])
def rows_up_to_n(x, n):
    """A run-time index into a tensor inside the loop."""
    total = torch.zeros(3)
    for i in range(n):
        total = total * 0.9 + x[i]
    return total


@case(inputs=[(POSITIVE,), (LARGE,), (NEGATIVE,)])
def walrus_in_while(x):
    """An assignment expression in a while test; the last value is read after the loop."""
    while (peak := x.max().item()) > 2:
        x = x / peak
    return x, peak


@case(inputs=[(2, 20, 6), (0, 3, 1), (5, 5, 1), (9, 0, -4)])
def range_with_runtime_bounds(start, stop, step):
    """range with run-time start, stop and step, and reversed over it."""
    seen = [i for i in range(start, stop, step)]
    back = list(reversed(range(start, stop, step)))
    return seen, back, len(range(start, stop, step)), stop in range(start, 99)


@case(inputs=[(POSITIVE, 3), (NEGATIVE, 3), (POSITIVE, 0)])
def return_from_unknown_loop(x, n):
    """return inside nested run-time loops ends the function."""
    for i in range(n):
        j = i
        while j < n:
            x = x + j
            if x.sum() > 20:
                return x, i, j
            j += 1
    return x, n, None


@case(inputs=[(POSITIVE, 4), (POSITIVE, 0)])
def function_called_in_loop(x, n):
    """A nested function with nonlocal is called in each turn."""
    best = 0.0

    def update(value):
        nonlocal best
        if value.item() > best:
            best = value.item()
            return True
        return False

    updates = 0
    for i in range(n):
        updates += update(x[0, i % 3] * (i - 1))
    return best, updates


@case(inputs=[(POSITIVE,), (NEGATIVE,), (POSITIVE * 3,), (NEGATIVE * 0.1,)])
def steps_that_may_be_refused(x):
    """The test stays as it is on the path that refuses a step: solvers with steps of their own."""
    time, step = torch.tensor(0.0), x.abs().sum()
    state, taken = (x, [x] * 2), []
    while 1 > time:
        following = state[0] * (1 - step * 0.1)
        if (following - state[0]).abs().max() < 0.2:
            time = time + step
            state, taken = (following, [following, state[0]]), [step]
        step = step * 0.5 + 0.01
    return state, time, len(taken)


@case(inputs=[(POSITIVE,), (NEGATIVE,), (POSITIVE * 3,)])
def flag_that_stays(x):
    """The test is known and stays as it is until a run-time test changes it, or break."""
    going, n = True, 0
    while going:
        x = x * 0.9
        n += 1
        if x.abs().sum() < 1:
            break
        if x.max() < 0.1:
            going = False
    return x, n


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def flag_set_late(x):
    """The test is known and stays as it is for long, until an iteration that is known."""
    going, n = True, 0
    while going:
        x = x * 0.9 if x.sum() > 1 else x - 0.01
        n += 1
        if n == 20:
            going = False
    return x, n


@case(inputs=[(5, 2), (5, 7), (0, 1)])
def bound_first_in_a_loop_with_else(n: int, wanted: int):
    """What the loop binds for the first time is read in its `else` only."""
    for place in range(n):
        last = place + wanted
        if place == wanted:
            break
    else:
        return place * 2, last
    return wanted


@case(inputs=[(POSITIVE,), (LARGE,), (MIXED,), (ZERO,)])
def items_asked_for(x):
    """The test asks an iterator for an item, and looks at it: the iterator's place is a number."""
    values = x.flatten().tolist()
    items, total = iter(values), 0.0
    while (item := next(items, None)) is not None and item < 2.2:
        total += item
        if item == 1.5:
            values.append(item / 2)
    rest = [next(items, -1.0)]
    rest.extend(items)
    return total, rest


@case(inputs=[(POSITIVE,), (LARGE,), (MIXED,)])
def two_iterators_merged(x):
    """Which of two iterators is asked next depends on what they gave."""
    left, right = iter(x[0].tolist()), iter(sorted((3 - x[1]).tolist()))
    one, other, merged = next(left, None), next(right, None), []
    while one is not None and other is not None:
        if one <= other:
            merged.append(one)
            one = next(left, None)
        else:
            merged.append(other)
            other = next(right, None)
    return merged, one, other


@case(inputs=[(POSITIVE,), (LARGE,), (MIXED,)], refused="DYCL062")
def zipped_items_asked_for(x):
    """zip, asked for an item in the test"""
    pairs, total = zip(x.flatten().tolist(), range(6)), 0.0
    while (pair := next(pairs, None)) is not None and pair[0] < 1:  # known  # <- refused
        total += pair[0] * pair[1]
    return total
