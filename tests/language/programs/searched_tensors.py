"""Lists of tensors that hold a number, searched; objects and lists beside what they never equal."""

from collections import OrderedDict

import torch
from torch import Tensor

from tests.language.harness import case, noise

ROWS = [(noise(6, 4, seed=seed),) for seed in (0, 1, 2, 4)] + [(-torch.ones(6, 4),)]


class Step:
    """A node of a path."""

    def __init__(self, word: int, before: "Step | None") -> None:
        self.word = word
        self.before = before


@case(inputs=ROWS)
def best_of_all(x: Tensor) -> tuple[int, int, bool]:
    """``index``, ``count`` and ``in`` compare the numbers."""
    scores = []
    for row in x[x[:, 0] > 0]:
        scores.append(row.sum())
    if not scores:
        return -1, 0, False
    return scores.index(max(scores)), scores.count(scores[0]), scores[-1] in scores[:1]


@case(inputs=ROWS, messages=False)
def with_numbers(x: Tensor) -> tuple[list[Tensor], bool]:
    """Tensors and numbers are compared with each other, also where something is taken out."""
    words, places = [], []
    for row in x[x[:, 0] > 0]:
        words.append(row.argmax())
        places.append(int(row.argmin()))
    words.remove(2)
    return words, torch.tensor(3) in places


@case(inputs=ROWS)
def beside_none(x: Tensor) -> int:
    """An object whose class says nothing of ``==`` equals no None, no number, no text."""
    step = None
    for row in x[x[:, 0] > 0]:
        step = Step(int(row.argmax()), step)
    total = 0
    while step != None:  # noqa: E711
        total += step.word
        if step.before == None:  # noqa: E711
            total += 100
        if step == total or step == "":  # known
            total -= 1  # never
        step = step.before
    return total


@case(inputs=ROWS, host=False)
def lists_beside_none(x: Tensor) -> tuple[bool, bool, bool]:
    """A list of run-time length equals no None and no number."""
    words = [int(row.argmax()) for row in x[x[:, 0] > 0]]
    return words == None, words != 3, words == [1, 2]  # noqa: E711


@case(inputs=ROWS)
def the_same_tensor(x):
    """Containers of the same tensors are equal: Python does not compare these."""
    held = {"a": x, "b": (x, 1)}
    same = dict(held)
    return x if held == same and [x] == [x] and (x, 2) != (x, 3) else -x  # known


@case(inputs=ROWS)
def orders_of_dicts(x):
    """Two ordered dicts are equal in one order only, a dict is in any."""
    one = OrderedDict(a=1, b=2)
    other = OrderedDict(b=2, a=1)
    return one == other, one == dict(other), dict(one) == other, x
