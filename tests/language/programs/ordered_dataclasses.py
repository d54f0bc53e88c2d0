"""Dataclasses with an order: compared, sorted, the largest of them."""

from dataclasses import dataclass, field

import torch

from tests.language.harness import case, noise

ROWS = [(noise(4, seed=s),) for s in range(4)] + [(torch.zeros(4),)]


@dataclass(order=True)
class Hypothesis:
    score: float
    length: int = 0
    tokens: tuple[int, ...] = field(default=(), compare=False)


class Turned(Hypothesis):
    def __lt__(self, other):
        return self.score > other.score


@dataclass
class Unordered:
    score: float


@case(inputs=ROWS)
def compared_by_their_fields(x):
    """Field by field, those that are compared; two that are equal are neither more nor less."""
    one, other = Hypothesis(x[0].item(), 1, (1,)), Hypothesis(x[1].item(), 2, (2,))
    same = Hypothesis(x[0].item(), 1, (3,))
    best, worst = max(one, other), min([other, one])
    return one < other, one >= other, one < same, one <= same, best.tokens, worst.tokens


@case(inputs=ROWS)
def sorted_by_their_fields(x):
    """Stable where they are equal, as Python's sort; and reversed."""
    found = [Hypothesis(v, i % 2, (i,)) for i, v in enumerate(x.tolist())]
    first = sorted(found)[0]
    found.sort(reverse=True)
    return first.tokens, [each.tokens for each in found], found[0].score


@case(inputs=ROWS)
def sorted_on_the_host(x):
    """So many as the input decides: sorted by all that is compared, the largest and the least."""
    found = [Hypothesis(-9.0, 3)]
    for i, v in enumerate(x.tolist()):
        if v > 0:
            found.append(Hypothesis(float(round(v)), i))
    found = sorted(found, reverse=True)
    return [each.length for each in found], max(found).length, min(found).score


@case(inputs=ROWS, refused="DYCL066")
def of_no_order(x):
    """Python raises TypeError whatever the numbers are, which is left to the user to see."""
    return Unordered(x[0].item()) < Unordered(x[1].item())  # <- refused


@case(inputs=ROWS, may_refuse=True)
def ordered_by_a_method(x):
    """A method put in the place of the generated one decides."""
    one, other = Turned(x[0].item()), Turned(x[1].item())
    return one < other, sorted([one, other])[0].score
