"""Lists, dicts and objects that a recursion makes larger with every call, by run-time values."""

from collections import defaultdict, deque

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

DEPTHS = [(POSITIVE, 3), (MIXED, 0), (NEGATIVE, 7), (ZERO, 4)]


class _Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.leaf = nn.Linear(3, 3)
        self.joined = nn.Linear(6, 3)


@case(inputs=DEPTHS)
class StatesOfATree(_Encoder):
    """Every call appends to a list that is passed down."""

    def encode(self, x, low, high, states):
        """Encode a range."""
        if high - low <= 1:
            hidden = self.leaf(x) * low
        else:
            middle = (low + high) // 2
            left = self.encode(x, low, middle, states)
            right = self.encode(x, middle, high, states)
            hidden = torch.tanh(self.joined(torch.cat([left, right], -1)))
        states.append(hidden)
        return hidden

    def forward(self, x, n):
        states = []
        return self.encode(x, 0, n, states), torch.stack(states)


@case(inputs=DEPTHS)
def before_and_after_the_call(x, n):
    """A list of the function around is appended to before and after the next call."""
    out = []

    def walk(left):
        out.append(left)
        if left > 0:
            walk(left - 2)
            out.append(-left)

    walk(n)
    return out


@case(inputs=DEPTHS)
def taken_back(x, n):
    """Backtracking: a path is appended to, copied and popped."""
    found, path = [], []

    def search(left):
        if left <= 0:
            found.append(list(path))
            return
        for step in (2, 3):
            path.append(step)
            search(left - step)
            path.pop()

    search(n)
    return found, path


@case(inputs=DEPTHS)
def handed_on_longer(x, n):
    """Each call makes a longer list for the next one."""
    found = []

    def go(left, path):
        if left <= 0:
            found.append(path)
            return
        go(left - 1, [*path, left])
        if left == 2:
            go(0, path + [-left])

    go(n, [])
    return found


@case(inputs=DEPTHS)
def levels(x, n):
    """A list of lists, and a dict of lists, by the depth of the call."""
    rows, by_depth = [], defaultdict(list)

    def go(size, depth):
        if len(rows) <= depth:
            rows.append([])
        rows[depth].append(size)
        by_depth[depth].append(size)
        if size > 1:
            go(size // 2, depth + 1)
            go(size - size // 2, depth + 1)

    go(n, 0)
    return rows, dict(by_depth)


class _State:
    def __init__(self):
        self.hidden = None
        self.seen = []
        self.best = -1.0
        self.by_step = {}


@case(inputs=DEPTHS)
class StateOfASearch(nn.Module):
    """An object that is passed down has attributes written, and lists and dicts that grow."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 3)

    def step(self, x, left, state):
        """Go one step."""
        if left <= 0:
            return state
        state.hidden = self.cell(x, state.hidden)
        score = state.hidden.sum().item()
        if score > state.best:
            state.best = score
        state.seen.append((left, score))
        state.by_step[left] = score
        return self.step(x * 0.9, left - 1, state)

    def forward(self, x, n):
        state = self.step(x, n, _State())
        hidden = x if state.hidden is None else state.hidden
        return hidden, state.seen, state.best, state.by_step


@case(inputs=DEPTHS)
def queues_and_sets(x, n):
    """A deque and a set of the function around, and pairs of a number, a text and a tensor."""
    queue, kinds, rows = deque(), set(), []

    def go(left):
        if left <= 0:
            return
        queue.appendleft(left)
        kinds.add(left % 3)
        rows.append((left, "even" if left % 2 == 0 else "odd", x * left))
        go(left - 1)

    go(n)
    total = x
    for _, _, row in rows:
        total = total + row
    return list(queue), sorted(kinds), [word for _, word, _ in rows], total


@case(inputs=DEPTHS)
def in_turns(x, n):
    """Two functions that call each other append to one list."""
    out = []

    def first(left):
        if left > 0:
            out.append(left)
            second(left - 1)

    def second(left):
        if left > 0:
            out.append(-left)
            first(left - 1)

    first(n)
    return out


@case(inputs=DEPTHS)
def lists_that_are_walked(x, n):
    """Calls get lists of other lengths, and walk over them; another list grows."""
    out = []

    def go(items):
        for item in items:
            out.append(item)
            if item > 1:
                go([item // 2, item - item // 2 - 1])

    go([n])
    return out


@case(inputs=DEPTHS)
def two_lists_that_change_places(x, n):
    """Two lists that are passed down, or one list twice."""

    def go(left, one, other):
        if left <= 0:
            return len(one)
        one.append(left)
        other.append(-left)
        return go(left - 1, other, one)

    first, second, both = [], [], []
    return go(n, first, second), first, second, go(n, both, both), both


@case(inputs=DEPTHS)
def another_name(x, n):
    """Every name of the list, and what else holds it, sees what was appended."""
    out = []
    same, holder = out, {"list": out}

    def go(left, given):
        if left <= 0:
            return
        given.append(left)
        go(left - 1, given)
        same.append(-left)

    go(n, out)
    holder["list"].append(100)
    return out, len(same), out is same


@case(inputs=DEPTHS)
def errors_in_between(x, n):
    """An error ends the recursion; what was appended before is there."""
    out = []

    def go(left):
        out.append(left)
        if left == 5:
            raise ValueError(f"five after {len(out)}")
        return 0 if left <= 0 else go(left - 1) + 1

    try:
        steps = go(n)
    except ValueError as error:
        return str(error), out
    return steps, out


@case(inputs=[(POSITIVE, 3, [1.0]), (MIXED, 0, [2.0]), (ZERO, 2, [0.5])])
def list_of_the_caller(x, n, history):
    """A list that is an argument grows for the caller."""

    def go(left):
        if left > 0:
            history.append(left * 0.5)
            go(left - 1)

    go(n)
    return len(history)


@case(inputs=DEPTHS, refused="DYCL023", slow=True)
def layers_in_the_list(x, n):
    """What grows holds functions, which the host cannot."""
    out = []

    def go(left):
        if left > 0:
            out.append(torch.sin if left % 2 else torch.cos)
            go(left - 1)  # <- refused

    go(n)
    return len(out)


def _halved(k):
    return [k] if k <= 0 else [k, *_halved(k // 2)] if k % 2 else [k] + _halved(k - 1)


@case(inputs=DEPTHS)
def longer_than_what_the_call_gives(x, n):
    """Each call gives back a list of what it has, and of what its own call gives"""
    return _halved(n), len(_halved(n + 1))


def _below(k):
    if k <= 0:
        return {}, set(), None if k < 0 else []
    table, seen, rest = _below(k - 2)
    table[k] = len(seen)
    return table, seen | {k}, None if rest is None else [k] + rest


@case(inputs=DEPTHS)
def dict_set_and_a_list_or_none(x, n):
    """Dicts and sets that calls give back, beside lists that are None on some ways"""
    table, seen, rest = _below(n)
    return table, sorted(seen), rest


@case(inputs=DEPTHS)
class FeaturesOfEachLevel(_Encoder):
    """Tensors of all levels in one list, the last of which is read"""

    def levels(self, x, depth):
        """Return one tensor for each level."""
        if depth <= 0:
            return [x]
        inner = self.levels(torch.relu(self.leaf(x)), depth - 1)
        return inner + [inner[-1] + x]

    def forward(self, x, n):
        levels = self.levels(x, n)
        return torch.stack(levels), sum(levels), levels[0]


def _given_to(k, items):
    if k <= 0:
        return items
    found = _given_to(k - 2, items)
    found.append(k)
    return found


@case(inputs=DEPTHS)
def list_that_is_passed_down_and_given_back(x, n):
    """It is one list all the way: the caller sees what the calls append, and they what it does"""
    first = [7]
    found = _given_to(n, first)
    first.append(0)
    return first, found, len(found)


def _visited(k, out=None):
    if out is None:
        out = []
    if k > 0:
        _visited(k // 2, out)
        out.append(k)
        _visited(k - 3, out)
    return out


@case(inputs=DEPTHS)
def list_made_by_the_outermost_call(x, n):
    """`out=None`, where the outermost call makes the list that the others are given"""
    return _visited(n)
