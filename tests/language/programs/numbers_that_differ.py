"""Fields and elements that are integers at first, and floats or integers of numpy's later."""

import heapq

import numpy
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


@case(inputs=ROWS, slow=True)
def heads_by_numpy(x: Tensor) -> tuple[list[int], float, list[str], Tensor, int]:
    """A list holds Python's integers and numpy's: both index arrays, lists and tensors."""
    scores = x.numpy()
    heads = [-1] * 4
    for place in range(4):
        best = numpy.argmax(scores[place])
        if scores[place, best] > 1:
            heads[place] = best
        elif best > 1:
            heads[place] = place
    total = 0.0
    for place, head in enumerate(heads):
        total += scores[head, place]
    names = ["a", "b", "c", "d"]
    return heads, total, [names[head] for head in heads], x[heads[2]], max(heads)


@case(inputs=ROWS)
def walk_by_numpy(x: Tensor) -> tuple[list[int], int, int]:
    """Integers of both, plus one of Python's, are such integers."""
    scores, path = x.numpy(), [0]
    while path[-1] < 3 and len(path) < 3:
        best = numpy.argmax(scores[path[-1]])
        path.append(best if best not in path else path[-1] + 1)
    return path, sum(path), path[-1] // 2


@case(inputs=ROWS, refused="DYCL059")
def floats_among_integers(x: Tensor) -> float:
    """An element that may be a float is no index."""
    scores, found = x.numpy(), [0]
    for row in scores:
        found.append(numpy.argmax(row))
        if row[1] > 1:
            found.append(row[1])
    return scores[found[-1], 0]  # <- refused
