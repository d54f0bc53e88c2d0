"""Arguments written in place: the caller's tensors change, on every way out."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

SIGNS = [(POSITIVE,), (NEGATIVE,), (MIXED,), (ZERO,)]
PAIRS = [(POSITIVE, MIXED), (NEGATIVE, POSITIVE), (ZERO, NEGATIVE)]


@case(inputs=SIGNS)
def rows_and_operators(x):
    """An element, a row, an operator and a method with an underscore."""
    x[0, 0] = 7
    x[1] = x[0] * 2
    x += 1
    x.clamp_(max=20)
    return x.sum()


@case(inputs=[*SIGNS, (POSITIVE / 4,)])
def in_one_arm(x):
    """Written in one arm only, and before an exception."""
    if x.sum() > 0:
        x.mul_(2)
        if x.sum() > 10:
            raise ValueError("large")
    return x * 1


@case(inputs=SIGNS, slow=True)
def through_a_view(x):
    """Written through a row, a transposed tensor and a helper."""

    def clear(row):
        row.zero_()

    clear(x[0])
    x.t()[1] += 5
    return x * 2


@case(inputs=PAIRS)
class TwoArguments(nn.Module):
    """One argument is written from the other one, which stays."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x, y):
        if y.sum() > 0:
            x.copy_(self.linear(y))
        return x - y


@case(inputs=[([POSITIVE, MIXED],), ([NEGATIVE, ZERO],)])
def inside_a_list(xs):
    """The tensors of a list argument."""
    for index, x in enumerate(xs):
        if x.sum() > 0:
            x.fill_(index)
    return len(xs), xs[0] + xs[1]


@case(inputs=SIGNS)
def a_host_error_after_the_write(x):
    """What was written before a division by zero stays written."""
    x.abs_()
    n = int(x.sum().item())
    return 1 / n


@case(inputs=SIGNS)
def in_a_loop(x):
    """Written in each turn of a loop of unknown length."""
    turns = 0
    while x.abs().sum() > 1:
        x.div_(2)
        turns += 1
    return turns


@case(inputs=SIGNS, may_refuse=True)
def one_of_two(x):
    """Whether the argument is written depends on the path."""
    y = x if x.sum() > 0 else torch.ones(2, 3)
    y += 1
    return y
