"""Walks back over tables of where each step came from, until there is nothing before it."""

import heapq

import torch

from tests.language.harness import case, noise

GRIDS = [(noise(3, 4, seed=seed).abs(),) for seed in range(3)]
LINES = [(noise(8, seed=seed),) for seed in range(3)] + [(-torch.ones(8),)]


@case(inputs=GRIDS)
def shortest_path(cost):
    """A* over a grid: the start has None before it, all other places have a place."""
    rows, columns = cost.shape
    goal = (rows - 1, columns - 1)
    heap, before, spent = [(0.0, (0, 0))], {(0, 0): None}, {(0, 0): 0.0}
    while heap:  # known
        _, place = heapq.heappop(heap)
        if place == goal:
            break
        row, column = place
        for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            other = (row + down, column + right)
            if not (0 <= other[0] < rows and 0 <= other[1] < columns):
                continue
            total = spent[place] + cost[other].item()
            if other not in spent or total < spent[other]:  # known
                spent[other], before[other] = total, place
                rest = abs(rows - 1 - other[0]) + abs(columns - 1 - other[1])
                heapq.heappush(heap, (total + 0.1 * rest, other))
    path, place = [], goal
    while place is not None:
        path.append(place)
        place = before[place]
    path.reverse()
    return path, spent[goal]


@case(inputs=LINES)
def steps_by_number(x):
    """Numbers stand for the steps; the first one has None."""
    before = {0: None}
    for i, v in enumerate(x.tolist()):
        if v > 0:
            before[i + 1] = i if i in before else 0
    step, found = max(before), []
    while step is not None:
        found.append(step)
        step = before[step]
    return found


@case(inputs=LINES)
def steps_that_may_be_missing(x):
    """`get` gives None where nothing came before."""
    before = {}
    for i, v in enumerate(x.tolist()):
        if v > 0:
            before[i + 1, i] = (i, i - 1)
    step, found = (3, 2), 0
    while step:
        found = found * 10 + step[0]
        step = before.get(step)
    return found


@case(inputs=LINES)
def tensors_until_none(x):
    """Which tensor it is does not matter to `is not None`."""
    total, count = x, 0
    rest = x
    while rest is not None:
        total = total + rest
        count += 1
        rest = rest - 1 if rest.sum() > 0 else None
    return total, count
