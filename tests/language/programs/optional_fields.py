"""Objects and places of lists, of which some have None and others something."""

import heapq

import torch
from torch.export import Dim

from tests.language.harness import case, noise

TABLES = [(noise(6, 4, seed=seed),) for seed in range(4)]
TABLES += [(torch.ones(6, 4),), (-torch.ones(6, 4),)]


class Row:
    """A cell of a chart."""

    def __init__(self):
        self.best = None
        self.count = 0.0


class Linked:
    """A node that leads to another one, or to none."""

    def __init__(self, place):
        self.place = place
        self.head = None


@case(inputs=TABLES, slow=True)
def tensors_or_none(x):
    """Each of six objects gets a tensor on some paths"""
    rows = [Row() for _ in range(6)]
    for i in range(6):
        if x[i, 2] > 0:
            rows[i].best = x[i]
    total = x.sum()
    for row in rows:
        if row.best is not None:
            total = total + row.best.sum()
    return total


@case(inputs=TABLES, slow=True)
def forgotten_again(x):
    """Fields are set, read and set to None again, and one of the objects has two names"""
    rows = [Row() for _ in range(6)]
    for i in range(6):
        if x[i, 2] > 0:
            rows[i].best = i
        if x[i, 3] > 0:
            rows[i].count += 1
    last, kept = None, rows[2]
    for row in rows:
        if row.best is not None:
            last = row.best
            row.best = None
    kept.count += 10
    return last, [row.count for row in rows], [row.best for row in rows], kept.count


@case(inputs=TABLES, slow=True)
def objects_or_none(x):
    """Words are attached to the best word before them, or to none"""
    nodes = [Linked(i) for i in range(6)]
    for i in range(1, 6):
        if x[i, 0] > 0:
            nodes[i].head = nodes[i - 1]
        elif x[i, 1] > 1:
            nodes[i].head = nodes[0]
    nodes[0].place = 10
    return [-1 if node.head is None else node.head.place for node in nodes]


NODES = {0: Dim("nodes", min=1, max=8), 1: Dim("nodes", min=1, max=8)}
DISTANCES = noise(6, 6).relu()
WALKED = [(DISTANCES, 0, 5), (DISTANCES, 3, 1), (DISTANCES.t(), 2, 0), (DISTANCES * 0, 1, 4)]
WALKED += [(DISTANCES, 2, 2)]


def _shortest(distances, start, goal, previous):
    best = [float("inf")] * len(previous)
    best[start] = 0.0
    queue = [(0.0, start)]
    while queue:
        cost, node = heapq.heappop(queue)
        if node == goal:
            break
        for other in range(len(previous)):
            length = distances[node, other].item()
            if length > 0 and cost + length < best[other]:
                best[other] = cost + length
                previous[other] = node
                heapq.heappush(queue, (cost + length, other))
    way, node = [], goal
    while node is not None:
        way.append(node)
        node = previous[node]
    return best[goal], way[::-1]


@case(inputs=WALKED, slow=True)
def shortest_way(distances, start, goal):
    """Each place of a list may be None or a number: a list of run time, not a path for each"""
    return _shortest(distances, start, goal, [None] * distances.shape[0])


@case(inputs=[*WALKED, (DISTANCES[:2, :2], 1, 0)], dynamic_shapes={"distances": NODES})
def shortest_way_among_any(distances, start, goal):
    """Places of a list of any length that begin as None"""
    return _shortest(distances, start, goal, [None] * distances.shape[0])


@case(inputs=TABLES)
def found_or_none(x):
    """Tensors in some places of a list"""
    found = [None] * 6
    for i in range(6):
        if x[i].sum() > 0:
            found[i] = x[i] * 2
    total, missing = torch.zeros(4), 0
    for row in found:
        if row is None:
            missing += 1
        else:
            total = total + row
    return total, missing
