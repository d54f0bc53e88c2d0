"""Many objects of a class, of which some have None for a field and others something."""

import torch

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
