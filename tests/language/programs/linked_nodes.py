"""Nodes made in loops of unknown length that refer to nodes of their class, or to None."""

from dataclasses import dataclass
from typing import Any, Optional

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

COUNTED = [(POSITIVE, 3), (NEGATIVE, 0), (MIXED, 1), (MIXED, 6), (POSITIVE, 2)]


@dataclass
class Hypothesis:
    """A word, and what came before it."""

    token: int
    score: float
    previous: Optional["Hypothesis"] = None
    state: Any = None


@dataclass
class Binary:
    """A node of a binary tree."""

    value: Any
    left: Optional["Binary"] = None
    right: Optional["Binary"] = None


class Node:
    """A node that knows its parent and its children."""

    def __init__(self, value, parent=None):
        self.value = value
        self.parent = parent
        self.children = []

    def add(self, child):
        """Append a child; return it."""
        child.parent = self
        self.children.append(child)
        return child

    def depth(self):
        """Return how many nodes are above."""
        depth, node = 0, self
        while node.parent is not None:
            depth, node = depth + 1, node.parent
        return depth

    def total(self):
        """Return the sum of the values below, by recursion."""
        return self.value + sum(child.total() for child in self.children)


@case(inputs=COUNTED)
def backtracked(x, n):
    """The chain of nodes is walked back to the first one"""
    node = Hypothesis(0, 0.0)
    for i in range(n):
        node = Hypothesis(i, node.score + x.sum().item(), node)
    tokens = []
    while node is not None:
        tokens.append(node.token)
        node = node.previous
    return tokens


@case(inputs=COUNTED, slow=True)
class Beam(nn.Module):
    """Beam search: hypotheses with the state of a cell, None at first, and what came before"""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(3, 3)

    def forward(self, x, n):
        beam = [Hypothesis(0, 0.0)]
        done = []
        for _ in range(n):
            grown = []
            for best in beam:
                state = self.cell(x[:1] + best.token, best.state)
                scores, tokens = torch.log_softmax(state[0], -1).topk(2, dim=-1)
                for k in range(2):
                    token = tokens[0, k].item()
                    made = Hypothesis(token, best.score + scores[0, k].item(), best, state)
                    (done if token == 2 else grown).append(made)
            beam = sorted(grown, key=lambda h: h.score, reverse=True)[:2]
        best = max(done or beam, key=lambda h: h.score)
        tokens, score = [], best.score
        while best.previous is not None:
            tokens.append(best.token)
            best = best.previous
        return tokens[::-1], score


@case(inputs=COUNTED, slow=True)
def shift_and_reduce(x, n):
    """A parser's stack: two nodes become the children of a new one, after they were pushed"""
    stack = []
    for i in range(n + 1):
        stack.append(Binary(x[i % 2] * i))
        while len(stack) >= 2 and i % 2 == 1:
            right, left = stack.pop(), stack.pop()
            parent = Binary(torch.tanh(left.value + right.value))
            parent.left, parent.right = left, right
            stack.append(parent)
    node, values = stack[-1], []
    while node is not None:
        values.append(node.value.sum().item())
        node = node.left
    return values


@case(inputs=COUNTED)
def searched_tree(x, n):
    """A search tree that grows by insertion, walked in order with a stack"""
    root = Binary(0)
    for i in range(n):
        value, node = (i * 7) % 5 - 2, root
        while True:
            if value < node.value:
                if node.left is None:
                    node.left = Binary(value)
                    break
                node = node.left
            else:
                if node.right is None:
                    node.right = Binary(value)
                    break
                node = node.right
    found, stack, node = [], [], root
    while stack or node is not None:
        while node is not None:
            stack.append(node)
            node = node.left
        node = stack.pop()
        found.append(node.value)
        node = node.right
    return found, x


@case(inputs=COUNTED)
def parents_and_children(x, n):
    """Children know their parent, which knows them; recursion over what was made"""
    root = Node(1)
    node = root
    for i in range(n):
        child = node.add(Node(i))
        if x.sum() > i:
            node = child
    return root.total(), node.depth(), len(root.children)


@case(inputs=COUNTED)
def linked_both_ways(x, n):
    """A doubly linked list of dicts, walked both ways"""
    head = tail = {"value": 0, "previous": None, "next": None}
    for i in range(1, n):
        node = {"value": i, "previous": tail, "next": None}
        tail["next"] = node
        tail = node
    values = []
    while head is not None:
        values.append(head["value"])
        head = head["next"]
    while tail:
        values.append(-tail["value"])
        tail = tail["previous"]
    return values, x


@case(inputs=COUNTED)
def written_through_another_name(x, n):
    """All names of a node see what is written through one of them"""
    node = first = Node(0)
    shared = Node(5)
    kept = [Binary(0, None, Binary(1)), Binary(1)]
    for i in range(n):
        following = Node(i, node)
        node.value = node.value + 10
        node = following
        kept.append(Binary(i, None, kept[0].right if i % 2 else kept[-1].right))
    first.value += 100
    shared.value += 1
    kept[0].right.value = 77
    total = shared.value
    while node is not None:
        total = total * 3 + node.value
        node = node.parent
    return total, [-1 if each.right is None else each.right.value for each in kept], x


@case(inputs=COUNTED)
def lists_that_hold_their_holders(x, n):
    """An object holds the list that it is in"""
    items = []
    items.append(Node(items))
    for i in range(n):
        items.append(Node(items[0].value, items[-1]))
        items[0].value.append(items[i])
    return len(items), len(items[-1].value), x


@case(inputs=COUNTED)
def missing_on_the_way(x, n):
    """What None does not have raises as in Python"""
    node = Binary(0)
    for i in range(n):
        node = Binary(i, node)
    return node.left.left.value, x


@case(inputs=COUNTED, refused="DYCL065")
def returned(x, n):
    """The host has no class for nodes that it made"""
    node = Binary(0)
    for i in range(n):
        node = Binary(i, node)
    return node  # <- refused


@case(inputs=COUNTED, refused="DYCL062")
def linked_tuples(x, n):
    """Tuples do not lead to tuples of their own kind"""
    node = (0, None)
    for i in range(n):  # <- refused
        node = (i, node)
    return node[0]  # never


@case(inputs=COUNTED)
def scores_that_begin_as_integers(x, n):
    """A field is an integer in the first node, and a float in those after it"""
    beam = [Hypothesis(0, 0)]
    for i in range(n):
        grown = []
        for best in beam:
            grown.append(Hypothesis(i, best.score + x[0, i % 3].item(), best))
            grown.append(Hypothesis(-i, best.score - 0.25, best))
        beam = sorted(grown, key=lambda h: -h.score)[:2]
    node, scores = beam[0], []
    while node.previous is not None:
        scores.append(node.score / 2)
        node = node.previous
    return scores, node.score, x


@case(inputs=COUNTED, refused="DYCL053")
def compared(x, n):
    """Equal nodes lead to equal nodes, as deep as they go"""
    one, other = Binary(0), Binary(0)
    for i in range(n):
        one, other = Binary(i, one), Binary(i, other)
    return one == other, x  # <- refused


class Branching:
    """A node with children by name, as game trees have them."""

    def __init__(self, score):
        self.score = score
        self.children = {}
        self.visited = []

    def is_leaf(self):
        return self.children == {}


@case(
    inputs=[
        (torch.tensor([[0.5, -1.0], [2.0, 1.0], [1.5, -0.5]]),),
        (torch.tensor([[-0.5, 1.0], [-2.0, 0.25], [-1.5, 2.5]]),),
    ]
)
def leaves_of_a_tree(x):
    """A container of objects or tensors that is compared with an empty one is asked whether it is empty"""
    root = Branching(x.sum())
    for row in x:
        node = root
        while not node.is_leaf():
            node = node.children[max(node.children)]
        for score in row.tolist():
            node.children[score] = Branching(row * score)
        if row[0] > 1.0:
            root.visited.append(row)
    return len(root.children), root.visited == [], {} != node.children, list(root.visited) == ()
