"""Lambdas that are found by where they stand: several on a line, in each other, after other letters."""

from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

SIGNS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


def _call(function, *arguments, **named):
    return function(*arguments, **named)


SCALED = _call(lambda: (lambda x, *, factor=2: x * factor))
SHIFTED, BACK = _call(lambda n: (lambda x: x + n, lambda x: x - n), 5)
NAMED = ["ééééééééééééééééééé", lambda x: x + 1, lambda x: x * 3]
FOLDED = _call(lambda *parts, **named: lambda *x: sum(x) * len(parts) + len(named), 1, 2, a=3)


@case(inputs=SIGNS)
class LambdasInLambdas(nn.Module):
    """A lambda made by a lambda on the same line is the inner one."""

    def __init__(self):
        super().__init__()
        self.steps = _call(lambda: [lambda x: x + 1, lambda x: x * 2])

    def forward(self, x):
        for step in self.steps:
            x = step(x) if x.sum() > 0 else -x
        return SCALED(x), SCALED(x, factor=3), SHIFTED(x), BACK(x), FOLDED(x, x)


@case(inputs=SIGNS)
def lambdas_after_letters(x):
    """Letters that are several bytes long stand before lambdas on a line."""
    if x.sum() > 0:
        return NAMED[1](x), len(NAMED[0])
    return NAMED[2](x), 0
