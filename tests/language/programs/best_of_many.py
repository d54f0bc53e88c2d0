"""The best of many items by keys of run time, and combinations of items of run time."""

import itertools
import math

import torch

from tests.language.harness import case, counted

EIGHT = [
    (torch.tensor([3.0, 1.0, 2.0, 1.0, 7.0, 2.0, 0.0, 1.0]),),
    (torch.tensor([-1.0, -1.0, -2.0, -3.0, -1.0, -5.0, -1.0, -5.0]),),
    (torch.tensor([1.0, 5.0, math.nan, 0.0, 9.0, 5.0, 5.0, 9.0]),),
]
COUNTED = [counted(3, 1, 2), counted(), counted(1), counted(5, 5, 1, 2), counted(2, 1)]


@case(inputs=EIGHT)
def places(x):
    """The place of the best score: one test of the host, not one path for each outcome."""
    scores = x.tolist()
    first = max(range(8), key=lambda i: scores[i])
    return first, min(range(8), key=lambda i: (scores[i], -i)), max(range(8), key=lambda i: x[i])


@case(inputs=EIGHT)
def arrangements(x):
    """The best of all arrangements is a tuple known only at run time."""
    costs = x.tolist()

    def cost(arrangement):
        return sum(costs[i] * place for i, place in enumerate(arrangement))

    one, *others = min(itertools.permutations(range(4)), key=cost)
    first, second = max(itertools.combinations(range(8), 2), key=lambda pair: costs[pair[1]])
    return one, others, x[first] - x[second], min(costs, key=abs)


@case(inputs=EIGHT)
def records(x):
    """The best of several objects is one of them, and may be changed."""
    found = [{"place": i, "score": s, "row": x * i} for i, s in enumerate(x[:6].tolist())]
    best = max(found, key=lambda record: record["score"])
    best["place"] += 100
    return best["row"], [record["place"] for record in found]


@case(inputs=EIGHT)
def functions(x):
    """What the host cannot hold is one path for each."""
    kinds = [torch.relu, torch.tanh, torch.sigmoid, torch.sin, torch.cos]
    scores = x.tolist()
    place, function = max(enumerate(kinds), key=lambda pair: scores[pair[0]])
    return function(x), place


class _Ranked:
    def __init__(self, score):
        self.score = score

    def __lt__(self, other):
        return self.score < other.score


@case(inputs=EIGHT, refused="DYCL020")
def objects_of_an_order_of_their_own(x):
    """Many objects that are compared by their class's code, known one by one, are refused."""
    scores = [*x.tolist(), *x.exp().tolist()]
    return min(range(16), key=lambda i: _Ranked(scores[i]))  # <- refused


@case(inputs=COUNTED)
def pairs(x, n):
    """combinations, with and without replacement, of as many items as a number says."""
    items = x[:n].tolist()
    total = 0.0
    for a, b, c in itertools.combinations(items, 3):
        total += a * b - c
    doubled = [a + b for a, b in itertools.combinations_with_replacement(items, 2)]
    return total, list(itertools.combinations(range(n), 2)), doubled


@case(inputs=COUNTED)
def ordered_pairs(x, n):
    """permutations of as many items as a number says, so many of them at a time."""
    best, widest = None, 0.0
    for one, other in itertools.permutations(x[:n].tolist(), 2):
        if one - other > widest:
            best, widest = (one, other), one - other
    return best, widest, len(list(itertools.permutations(range(n), 3)))


@case(inputs=[(0,), (2,), (3,), (4,), (-1,)])
def as_many_as_a_number_says(r):
    """combinations of known items, as many at a time as a number says."""
    return len(list(itertools.combinations("abc", r)))
