"""Fields and elements that are integers at first and floats later."""

import heapq

import torch
from torch import Tensor

from tests.language.harness import case, noise

ROWS = [(noise(6, 4, seed=seed),) for seed in (0, 1, 2, 4)] + [(-torch.ones(6, 4),)]


class Step:
    """A node of a path with the score so far."""

    def __init__(self, before: "Step | None", score: float) -> None:
        self.before = before
        self.score = score


@case(inputs=ROWS)
def scores_of_nodes(x: Tensor) -> list[float]:
    """The first node's score is the integer 0: its class holds numbers of both types."""
    step = Step(None, 0)
    for row in x[x[:, 0] > 0]:
        step = Step(step, step.score + float(row[1]))
    scores = []
    while step is not None:
        scores.append(step.score)
        step = step.before
    return scores


@case(inputs=ROWS)
def scores_in_a_heap(x: Tensor) -> tuple[float, int]:
    """A heap that begins with an integer takes floats."""
    heap = [(0, 0)]
    for row in x[x[:, 0] > 0]:
        heapq.heappush(heap, (float(row[1]), int(row.argmax())))
    return heapq.heappop(heap)
