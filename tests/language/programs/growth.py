"""Programs that must not blow up: linear work where path splitting would be exponential."""

import torch
from torch import nn

from tests.language.harness import LARGE, MIXED, NEGATIVE, POSITIVE, case, noise

THREE = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


@case(inputs=THREE, host=False)
def two_hundred_ifs(x):
    """200 dynamic ifs, one after the other."""
    for i in range(200):
        if x[i % 2, i % 3] > 0:
            x = x + 0.01
        else:
            x = x - 0.01
    return x


@case(inputs=THREE)
def twenty_appends(x):
    """20 ifs that each append to one list."""
    picked = []
    for i in range(20):
        if x[i % 2, i % 3] * (i - 9) > 0:
            picked.append(i)
    return picked, len(picked)


@case(inputs=[(torch.arange(40.0) - 20,), (noise(40),)])
def forty_counters(x):
    """40 ifs that change three numbers."""
    positive = negative = 0
    best = -1
    for i in range(40):
        if x[i] > 0:
            positive += 1
            best = i
        elif x[i] < -1:
            negative += 1
    return positive, negative, best


@case(inputs=THREE, host=False)
def long_unrolled_loop(x):
    """200 known turns over the same code with a dynamic test in each."""
    hits = 0
    for step in range(200):
        x = x * 0.99 + 0.01
        if x.min() > 0.3:
            hits += 1
    return x, hits


@case(inputs=[*THREE, (LARGE,)])
class DeepCalls(nn.Module):
    """Calls six levels deep with a test at each level."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def level(self, x, depth):
        if depth == 6:  # known
            return x
        if x.sum() > depth:
            return self.level(x * 0.9, depth + 1)
        return self.level(self.layer(x), depth + 1)

    def forward(self, x):
        return self.level(x, 0)


@case(inputs=[(POSITIVE, 30), (NEGATIVE, 0), (MIXED, 7)])
def many_variables_in_loop(x, n):
    """A loop that carries a dozen numbers and lists."""
    a, b, c, d = 0, 1, 2.0, True
    names, sizes, last = [], {}, None
    for i in range(n):
        a, b = b, a + b
        c = c * 0.5 if d else c + 1
        d = not d
        if i % 3 == 0:
            names.append(f"s{i}")
            sizes[names[-1]] = b
        last = (i, names[-1])
    return a, b, c, d, names, sizes, last, x * c
