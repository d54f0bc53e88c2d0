"""Loops of unknown length whose variables change their structure again and again."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

COUNTED = [(POSITIVE, 3), (NEGATIVE, 0), (MIXED, 1), (MIXED, 6), (NEGATIVE, 2)]
SIGNS = [
    (torch.tensor([1.0, 2.0, -1.0, 3.0, -2.0, -3.0, 4.0]),),
    (torch.tensor([-1.0, -2.0]),),
    (torch.tensor([1.0]),),
    (torch.tensor([-1.0, 1.0, 1.0]),),
    (torch.zeros(0),),
]
ANY_LENGTH = {"x": {0: torch.export.Dim("length", max=9)}}


@case(inputs=SIGNS, dynamic_shapes=ANY_LENGTH)
def segments(x):
    """Where a segment starts is None between two segments"""
    start = None
    found = []
    for i in range(x.shape[0]):
        if x[i].item() > 0:
            if start is None:
                start = i
        elif start is not None:
            found.append((start, i))
            start = None
    if start is not None:
        found.append((start, x.shape[0]))
    return found


@case(inputs=[*SIGNS, (torch.tensor([3.0, 4.0, -3.0]),)], dynamic_shapes=ANY_LENGTH, slow=True)
def segments_of_two_kinds(x):
    """Two variables that are None now and then, and one that is bound in the loop"""
    start = last = None
    found = []
    for i, score in enumerate(x.tolist()):
        kind = "high" if score > 2 else "low" if score < -2 else None
        if kind != last and start is not None:
            found.append((start, i - start))
            start = None
        if kind is not None and start is None:
            start = i
        last = kind
    if start is not None:
        found.append((start, -1))
    return found, last


class _Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(3, 3)


@case(inputs=COUNTED)
class Reset(_Cell):
    """A state of tensors that a decision sets back to None"""

    def forward(self, x, n):
        state = None
        total = 0.0
        for i in range(n):
            state = self.cell(x + i, state)
            total = total + state[0].sum().item()
            if state[0].sum() > 0.2:
                state = None
        return total, state is None


@case(inputs=COUNTED, slow=True)
class ResetWithinALoop(_Cell):
    """The same in a loop within another, which resets another one"""

    def forward(self, x, n):
        outer = None
        hidden = x * 0
        for i in range(n):
            state = None
            for j in range(i):
                state = self.cell(hidden + j, state)
                if state[1].sum() > 0.3:
                    hidden = hidden + state[1]
                    state = None
            if state is None:
                outer = None
            else:
                outer = (hidden, state[0])
        return hidden, outer


@case(inputs=COUNTED)
def alternating(x, n):
    """Two functions that trade places"""
    f = lambda v: v * 2  # noqa: E731
    g = lambda v: v + 1  # noqa: E731
    for _ in range(n):
        x = f(x)
        f, g = g, f
    return f(x)


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
def states_as_functions(x):
    """A machine whose states are functions that name the next one"""
    trace = []

    def grow(v):
        trace.append(len(trace))
        return v + 1, (skip if v.sum() < 10 else None)

    def skip(v):
        trace.append(-1)
        return v + 2, (grow if v.sum() < 8 else None)

    state = grow
    while state is not None:
        x, state = state(x)
    return x, trace


@case(inputs=COUNTED)
def written_in_place(x, n):
    """What a name refers to comes and goes, and is written in place"""
    kept = None
    base = x * 1
    for i in range(n):
        if kept is None:
            kept = base
        else:
            kept.add_(i)
            kept = None
            if base.sum() > 25:
                base = base + 0
    if kept is not None:
        kept.mul_(2)
    return base, kept


@case(inputs=COUNTED)
def written_in_one_of_two(x, n):
    """It is another tensor in some of the iterations"""
    kept = None
    base = x * 1
    for i in range(n):
        if kept is None:
            kept = base if i % 3 == 0 else base + 1
        else:
            kept.add_(i)
            kept = None
    return base, kept


@case(inputs=COUNTED)
def names_bound_on_the_way(x, n):
    """A name that some iterations bind is read after the loop, and may be unbound"""
    mark = None
    for i in range(n):
        if mark is None:
            mark = i
        else:
            last = i - mark
            mark = None
    if n < 2:
        return x
    return x * last, mark


@case(inputs=[*COUNTED, (POSITIVE * 0.8, 6), (NEGATIVE, 6)])
def left_in_several_ways(x, n):
    """The loop is left by break, by return and by else, from either structure"""
    held = None
    i = 0
    while i < n:
        i += 1
        x = x + 1
        if held is None:
            if x.sum() > 26:
                return i, x
            held = x
        else:
            if x.sum() > 21:
                break
            if i % 4 == 0:
                continue
            held = None
    else:
        return x, "else", held is None
    return x, "broken", held


@case(inputs=COUNTED)
def raised_and_caught(x, n):
    """An exception that is caught outside leaves the loop from one of its structures"""
    held = None
    seen = []
    try:
        for i in range(n):
            if held is None:
                held = x + i
            elif held.sum() > 11:
                raise ValueError(i)
            else:
                seen.append(held.sum().item())
                held = None
    except ValueError as error:
        return seen, error.args[0], held
    return seen, -1, held


@case(inputs=[([3, 0, 4, 0, 0, 5, 6],), ([0],), ([1, 2, 0],)], options={"run_time_lists": ("xs",)})
def groups(xs):
    """Groups of a list's items: the group that is open is a list or None"""
    done = []
    group = None
    for value in xs:
        if value == 0:
            if group is not None:
                done.append(group)
            group = None
        elif group is None:
            group = [value]
        else:
            group.append(value)
    if group is not None:
        done.append(group)
    return done


@case(inputs=COUNTED)
def of_three_structures(x, n):
    """None, a number and a tensor, one after the other"""
    kept = None
    seen = []
    for i in range(n):
        if kept is None:
            kept = i
            seen.append(0)
        elif isinstance(kept, int):
            kept = x + kept
            seen.append(1)
        else:
            seen.append(2)
            kept = None if kept.sum() > 0 else i
    return seen, kept


@case(inputs=COUNTED, refused="DYCL062")
def more_with_each_iteration(x, n):
    """A structure that never comes back has no fixed point"""
    nested = x
    for _ in range(n):  # <- refused
        nested = (nested, None)
    return nested  # never


@case(inputs=[(torch.ones(2, 3).t(), 3), (POSITIVE.t(), 0), (MIXED.t(), 2)])
def transposed_again_and_again(x, n):
    """A tensor whose layout changes with every iteration"""
    total = 0.0
    for _ in range(n):
        x = x.t()
        total += x[0].sum().item()
    return x, total
