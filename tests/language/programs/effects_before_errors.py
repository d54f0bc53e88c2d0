"""What a program did on the host before tensor code raised is done: printed, changed, counted."""


import warnings

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

TOKENS = (torch.tensor([1, 3]), torch.tensor([1, 4]), torch.tensor([-1, 0]), torch.tensor([2, 2]))




class Embedding(nn.Module):
    """A table of four rows."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(4, 3)
        self.layer = nn.Linear(3, 3)


@case(inputs=[(t,) for t in TOKENS], messages=False)
class PrintedBeforeALookup(Embedding):
    """A print before a look-up is seen though the look-up fails; one after it is not"""

    def forward(self, tokens):
        print("looking up", tokens.sum().item())
        y = self.table(tokens)
        print("found", tokens.max().item())
        return y


@case(inputs=[(POSITIVE, t) for t in TOKENS], messages=False)
class NumberPrintedBeforeALookup(Embedding):
    """What is printed is computed from tensors; the look-up after it does not need it"""

    def forward(self, x, tokens):
        h = self.layer(x)
        print(f"{h.shape[0]} rows, positive: {h.sum().item() > -100}")
        return h + self.table(tokens)


@case(inputs=[(POSITIVE, t, [ZERO]) for t in TOKENS], messages=False)
class ChangedBeforeALookup(Embedding):
    """A list of the caller's gets what was appended before the look-up failed, and no more"""

    def forward(self, x, tokens, found):
        h = self.layer(x)
        found.append(h)
        y = self.table(tokens)
        found.append(y)
        return h + y


@case(inputs=[(x.clone(), i) for x in (POSITIVE, MIXED) for i in (0, 5, 6)], messages=False)
def written_before_an_index(x, i):
    """A tensor of the caller's is written before an index is out of range, and after it"""
    x += 1
    y = (x * 3).flatten()[i]
    x *= 2
    return y


INDICES = torch.tensor([0, 2]), torch.tensor([0, 3])


@case(inputs=[(x, i, {"n": 0}) for x in (POSITIVE, NEGATIVE) for i in INDICES], messages=False)
def counted_between_two(x, i, stats):
    """A dict is changed between two operations, the second of which may fail"""
    y = x * 2
    stats["sum"] = y.sum().item()
    z = y.t()[i]
    stats["n"] += 1
    return z


@case(inputs=[(x, i, [0]) for x in (POSITIVE, NEGATIVE) for i in INDICES], messages=False)
def changed_in_arms(x, i, log):
    """The change stands in an arm, the look-up after the join"""
    if x.sum() > 0:
        log.append("positive")
        x = x + 1
    else:
        log[0] = x.mean().item()
    return x.t()[i]


ROUNDS = ((1, 3), (4, 3), (4, 0), (2, 1))


@case(inputs=[(POSITIVE, torch.tensor([0, k]), [], n) for k, n in ROUNDS],
    messages=False)
def lookups_in_a_loop(x, i, log, n):
    """What is looked up changes from round to round"""
    total = x.sum()
    for step in range(n):
        log.append(step)
        total = total + x.t()[i].sum()
        i = i - 2
        log.append(total.item() > 0)
    return total


@case(inputs=[(POSITIVE, torch.tensor([0, k]), n) for k, n in ((2, 2), (7, 2), (7, 0))], messages=False)
class HoistedLookup(Embedding):
    """A look-up and a product that no round changes stay behind what a round prints"""

    def forward(self, x, i, n):
        for _ in range(n):
            print("round")
            x = x + self.layer(self.table(i)).sum() * 0.1
        return x


DIVISORS = torch.tensor([2, 5]), torch.tensor([2, 0])


@case(inputs=[(torch.tensor([7, 9]), d, [1]) for d in DIVISORS], messages=False)
def divided(x, divisor, log):
    """Integers are divided by zero after a list has changed"""
    log.append(x.max().item())
    quotient = (x * 3) // divisor
    log.append(2)
    return quotient


@case(inputs=[(torch.tensor([7, 9]), d) for d in DIVISORS], refused="DYCL063")
def division_caught(x, divisor):
    """An integer division by zero would be caught"""
    try:
        return x // divisor  # <- refused
    except RuntimeError:
        return x


@case(inputs=[(x,) for x in (POSITIVE, NEGATIVE)])
def masks_in_a_try(x):
    """What cannot raise is taken in a `try`: masks, indices that are known"""
    try:
        y = x[:, [0, 2]] * 2
        y[y > 2] = 0
        return y % 3
    except IndexError:  # never
        return x  # never


@case(inputs=[(x, i) for x in (POSITIVE, NEGATIVE) for i in INDICES], messages=False)
def warned(x, i):
    """A warning comes before the look-up"""
    y = x + 1
    if y.sum() < 0:
        warnings.warn("negative", stacklevel=2)

    return y.t()[i]


@case(inputs=[([1], n) for n in (3, 300, -1)], messages=False)
def number_does_not_fit(log, n):
    """A number that does not fit into the element type of a tensor"""
    log.append(n)
    small = torch.tensor(n, dtype=torch.uint8)
    log.append("small")
    return small


@case(inputs=[([1], n) for n in (3, 300, -1)])
def no_number(log, n):
    """A text is no number"""
    text = f"{n}" if n > 5 else f"{n}e"
    log.append(n)
    number = float(text)
    log.append("number")
    return number
