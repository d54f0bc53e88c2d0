"""Objects of the program that are put in order by their own ``__lt__``"""

import functools
import heapq
from dataclasses import dataclass, field

import torch
from torch import nn

from tests.language.harness import case, counted, noise

NAN = float("nan")



SCORES = [
    counted(3.0, -1.0, 2.0, 2.0, 0.5),
    counted(1.0),
    counted(),
    counted(5.0, 4.0, 3.0, 2.0),
    counted(0.0, 0.0, 0.0, 0.0),
]
ODD = [counted(NAN, 1.0, -3.0, NAN, 2.0, 0.0), counted(1.0, NAN, 0.5)]


class Node:
    """A hypothesis, ordered by its score."""

    def __init__(self, score, tokens):
        self.score = score
        self.tokens = tokens

    def __lt__(self, other):
        return self.score < other.score


def nodes_of(x, n):
    """Make a node of each score, in a list whose length is known at run time only."""
    nodes = []
    for i in range(n):
        nodes.append(Node(x[i].item(), [i]))
    return nodes


@case(inputs=[*SCORES, *ODD])
def sorted_and_reversed(x, n):
    """sorted() is stable both ways, and leaves the list as it is; NaN is where it is in eager."""
    nodes = nodes_of(x, n)
    up = [n.tokens[0] for n in sorted(nodes)]
    down = [n.tokens[0] for n in sorted(nodes, reverse=True)]
    return up, down, [n.tokens[0] for n in nodes]


@case(inputs=[(noise(5),), (torch.zeros(5),), (noise(5, seed=3),)])
def of_known_length(x):
    """A list of known length; what sort() did is seen under another name of the list."""
    nodes = [Node(v, [i]) for i, v in enumerate(x.tolist())]
    same = nodes
    nodes.sort()
    nodes[0].tokens.append(7)
    return [n.tokens for n in same]


@case(inputs=[(noise(4),), (noise(4, seed=3),)])
def by_tensors(x):
    """The scores are tensors: what they say is asked at run time."""
    nodes = [Node(v, i) for i, v in enumerate(x)]
    best = max(nodes)
    return [n.tokens for n in sorted(nodes)], best.score, min(nodes).tokens


class Counted:
    """Ordered by a number; counts who asks."""

    asked = None

    def __init__(self, number, log):
        self.number = number
        self.log = log

    def __lt__(self, other):
        self.log.append(self.number - other.number)
        return self.number < other.number


@case(inputs=[counted(3, 1, 2, 5, 4), counted(1, 2, 3), counted(3, 2, 1, 4), counted(2, 2, 2, 1), counted(7)])
def comparisons_in_order(x, n):
    """What is compared with what, and when, is as in Python."""
    log = []
    items = []
    for place in range(n):
        items.append(Counted(int(x[place]), log))
    items.sort()
    first = len(log)
    found = sorted(items, reverse=True)
    return log, first, [item.number for item in found]


@case(inputs=SCORES)
def by_keys_that_are_objects(x, n):
    """The keys are objects, and pairs with objects in them; the items go with their keys."""
    nodes = nodes_of(x, n)
    places = list(range(len(nodes)))
    by_node = sorted(places, key=lambda i: nodes[i])
    by_pair = sorted(places, key=lambda i: (i % 2, nodes[i]), reverse=True)
    return by_node, by_pair


@case(inputs=[counted(2.0, 1.0, 2.0, 3.0), counted(1.0, 1.0), counted(4.0, 2.0, 3.0)])
def smallest_and_largest(x, n):
    """min() and max() over objects, the first of equals; pairs that reach an object."""
    nodes = nodes_of(x, n)
    pairs = [(int(n.score) % 2, n) for n in nodes]
    low, high = min(nodes), max(nodes)
    high.tokens.append(9)
    return low.tokens, min(pairs)[1].tokens, max(pairs)[1].tokens, [n.tokens for n in nodes]


@case(inputs=[counted(), counted(1.0)])
def of_nothing(x, n):
    """min() of no objects raises, or gives what stands for it."""
    nodes = nodes_of(x, n)
    default = max(nodes, default=None)
    text = "none" if default is None else "one"
    return text, min(nodes).score


@functools.total_ordering
class Version:
    """Ordered by total_ordering, from ``__gt__``."""

    def __init__(self, major):
        self.major = major

    def __eq__(self, other):
        return self.major == other.major

    def __gt__(self, other):
        return self.major > other.major


@case(inputs=[counted(3, 1, 2, 1), counted(1)])
def by_total_ordering(x, n):
    """``__lt__`` is what total_ordering makes of ``__gt__`` and ``__eq__``."""
    versions = []
    for place in range(n):
        versions.append(Version(int(x[place])))
    versions.sort()
    return [v.major for v in versions], max(versions).major


class Greater:
    """Says what it is greater than only: Python asks the other operand."""

    def __init__(self, rank):
        self.rank = rank

    def __gt__(self, other):
        return self.rank > other.rank


@case(inputs=[counted(3, 1, 2, 1), counted(1, 2)])
def by_the_other_operand(x, n):
    """``a < b`` asks ``b > a`` where the class has no ``__lt__``."""
    items = []
    for place in range(n):
        items.append(Greater(int(x[place])))
    return [i.rank for i in sorted(items)], max(items).rank


@dataclass(order=True)
class Scored:
    """A dataclass whose order reaches another object."""

    score: float
    node: Node = field(compare=True)


@case(inputs=[counted(1.0, 2.0, 1.0, 1.0), counted(3.0, 2.0)])
def dataclasses_of_objects(x, n):
    """A dataclass compares its fields, of which one is an object with an order of its own."""
    items = []
    for place in range(n):
        items.append(Scored(x[place].item(), Node(-place, [place])))
    items.sort()
    return [(i.score, i.node.tokens) for i in items], max(items).node.tokens


@case(inputs=[(3,), (0,), (1,), (6,)])
def sorted_in_a_loop(n):
    """A list is sorted each time that something was added to it, first when it is empty."""
    nodes = []
    best = -1
    while n > 0:
        nodes.sort()
        nodes.append(Node((n * 7) % 5, n))
        best = nodes[0].tokens
        n -= 1
    return best, [node.tokens for node in nodes]


@case(inputs=[(80,), (64,), (3,)])
def long_lists(n):
    """The order is that of Python's for lists of any length."""
    nodes = []
    for i in range(n):
        nodes.append(Node((i * 37) % 11, i))
    nodes.sort()
    return [node.tokens for node in nodes]


@case(inputs=[(3,), (0,), (1,), (6,)])
def taken_before_the_first_is_put(n):
    """What a heap or list holds is known after the place where it is used first."""
    heap, rows = [], []
    taken = []
    while n > 0:
        if len(heap) > 1:
            taken.append(heapq.heappop(heap).tokens)
        if rows:
            taken.append(min(rows).tokens)
        rows = sorted(rows)
        heapq.heappush(heap, Node((n * 7) % 5, n))
        rows.append(Node((n * 3) % 4, -n))
        n -= 1
    return taken, [row.tokens for row in rows]


class Block:
    """A layer with a place in an order."""

    def __init__(self, rank, layer):
        self.rank = rank
        self.layer = layer

    def __lt__(self, other):
        return self.rank < other.rank


class _Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])


@case(inputs=[(noise(2, 3),)])
class LayersInKnownOrder(_Layers):
    """Objects that the host cannot hold, in an order that is known."""

    def forward(self, x):
        blocks = [Block(-i, layer) for i, layer in enumerate(self.layers)]
        for block in sorted(blocks):
            x = torch.tanh(block.layer(x))
        return x


@case(inputs=[(noise(2, 3),), (-noise(2, 3).abs(),)], refused="DYCL073")
class LayersInAnyOrder(_Layers):
    """Objects that the host cannot hold have no order known only at run time."""

    def forward(self, x):
        blocks = [Block(x[0, i].item(), layer) for i, layer in enumerate(self.layers)]
        blocks.sort(reverse=True)  # <- refused
        for block in blocks:
            x = torch.tanh(block.layer(x))
        return x
