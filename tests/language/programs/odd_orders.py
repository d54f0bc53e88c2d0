"""Orders that raise, that look at what is sorted, or that are none"""

import heapq

import torch

from tests.language.harness import case, counted, noise
from tests.language.programs.ordered_objects import Node


class Plain:
    """Has no order."""

    def __init__(self, name):
        self.name = name


@case(inputs=[counted(2.0, 1.0, 3.0), counted(1.0), counted(2.0, 2.0)])
def without_an_order(x, n):
    """Pairs are in order until two first parts are equal: objects without an order raise."""
    pairs = []
    for place, score in enumerate(x, n):
        if score > 0:
            pairs.append((x[place].item(), Plain(place)))
    try:
        pairs.sort()
    except TypeError as error:
        return str(error)
    return [p[1].name for p in pairs]


class Strict:
    """Refuses to be compared with what is marked."""

    def __init__(self, number):
        self.number = number

    def __lt__(self, other):
        if other.number < 0:
            raise ValueError("negative")
        return self.number < other.number


@case(inputs=[counted(3, 1, 2), counted(4, 1, -2, 3), counted(2, 3, 5, -1, 0)])
def comparisons_that_raise(x, n):
    """An exception of ``__lt__`` leaves the list in some order, that of Python."""
    items = []
    for place in range(n):
        items.append(Strict(int(x[place])))
    caught = False
    try:
        items.sort()
    except ValueError:
        caught = True
    return caught, [i.number for i in items]


class Flag:
    """Its ``__lt__`` answers with a number."""

    def __init__(self, number):
        self.number = number

    def __lt__(self, other):
        return other.number // (self.number + 1)


@case(inputs=[counted(3, 1, 2), counted(0, 0, 1)])
def answers_that_are_no_bools(x, n):
    """What ``__lt__`` answers is asked whether it is true."""
    items = []
    for place in range(n):
        items.append(Flag(int(x[place])))
    return [i.number for i in sorted(items)]


@case(inputs=[(noise(2),), (torch.zeros(2),)])
def known_objects_without_an_order(x):
    """Objects of known structure without an order raise, after what is equal."""
    first, second = (x[0].item(), Plain(1)), (x[1].item(), Plain(2))
    try:
        low = min(first, second)
    except TypeError as error:
        return str(error)
    return low[1].name


class Sibling:
    """Leaves it to the other operand."""

    def __init__(self, rank):
        self.rank = rank

    def __lt__(self, other):
        if not isinstance(other, Sibling):
            return NotImplemented
        return self.rank < other.rank


@case(inputs=[(2, 1), (0, 3)])
def not_implemented(n, m):
    """Where neither operand says, comparing raises."""
    items = [Plain(m), Sibling(n)]
    pair = sorted([Sibling(n), Sibling(m)])
    try:
        return min(items).name, pair[0].rank
    except TypeError as error:
        return str(error), pair[0].rank


class Watching:
    """Looks at the list that it is in."""

    def __init__(self, rank, items, seen):
        self.rank = rank
        self.items = items
        self.seen = seen

    def __lt__(self, other):
        self.seen.append(len(self.items))
        return self.rank < other.rank


@case(inputs=[(3,), (2,), (1,), (0,)])
def watched_while_sorted(n):
    """A list is empty while it is sorted."""
    seen, items, others = [], [], []
    for i in range(n):
        others.append(Watching(-i, items, seen))
    items.append(n)
    others.sort()
    return seen, [item.rank for item in others]


@case(inputs=[counted(1.0, 3.0, 2.0), counted()])
def one_object_twice(x, n):
    """An object that is in a heap twice is one object, which is less than itself never."""
    node = Node(2.0, [0])
    heap = [(0, node)]
    for i in range(n):
        heapq.heappush(heap, (0, node))
        heapq.heappush(heap, (0, Node(x[i].item(), [i])))
    out = []
    while heap:
        _, taken = heapq.heappop(heap)
        taken.tokens.append(len(heap))
        out.append(taken.tokens)
    return out, node.tokens


@case(inputs=[(noise(5, 4, seed=n),) for n in (1, 2, 3)] + [(-noise(5, 4).abs(),)])
def by_keys_of_a_dict(x):
    """Items of a dict differ in their keys: the lists of tensors beside them are never compared."""
    groups = {}
    for row in x:
        key = int(row[0] > 0) + int(row[1] > 0)
        if key in groups:
            groups[key].append(row)
        else:
            groups[key] = [row]
    up = [(key, torch.stack(rows).sum()) for key, rows in sorted(groups.items())]
    down = [len(rows) for _, rows in sorted(groups.items(), reverse=True)]
    return up, down
