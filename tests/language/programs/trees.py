"""Recursive networks over trees: child-sum and N-ary Tree-LSTMs, and what they are made of"""

from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.language.harness import case


class Tree:
    """A dependency tree: a word and any number of children."""

    def __init__(self, word: int) -> None:
        self.word = word  # at import
        self.parent: Tree | None = None  # at import
        self.children: list[Tree] = []  # at import
        self.num_children = 0  # at import
        self.state: Any = None  # at import

    def add_child(self, child: "Tree") -> None:
        """Append a child."""
        child.parent = self  # at import
        self.num_children += 1  # at import
        self.children.append(child)  # at import

    def is_leaf(self) -> bool:
        """Return whether there are no children."""
        return self.num_children == 0

    def size(self) -> int:
        """Return the number of nodes."""
        count = 1
        for child in self.children:
            count += child.size()
        return count

    def cached_size(self) -> int:
        """Return the number of nodes, counted once."""
        if getattr(self, "_size", False):
            return self._size
        count = 1
        for index in range(self.num_children):
            count += self.children[index].cached_size()
        self._size = count
        return self._size

    def depth(self) -> int:
        """Return the length of the longest way down."""
        deepest = 0
        for child in self.children:
            below = child.depth()
            if below > deepest:
                deepest = below
        return deepest + 1


@dataclass
class Node:
    """A binary tree: words at the leaves."""

    word: int = 0
    left: "Node | None" = None
    right: "Node | None" = None
    parts: list["Node"] = field(default_factory=list)


def tree(word: int, *children: Tree) -> Tree:
    """Return a dependency tree."""
    made = Tree(word)  # at import
    for child in children:  # at import
        made.add_child(child)  # at import
    return made  # at import


def pair(left: Node, right: Node) -> Node:
    """Return an inner node of a binary tree."""
    return Node(0, left, right, [left, right])  # at import


LEAF = tree(3)
FLAT = tree(1, tree(2), tree(3), tree(4))
DEEP = tree(0, tree(1, tree(2, tree(3)), tree(4)), tree(5))
CHAIN = tree(0, tree(1, tree(2, tree(3, tree(4, tree(5))))))
SHRUBS = [(DEEP,), (LEAF,), (FLAT,), (CHAIN,)]

ONE = Node(1)
TWO = pair(Node(1), Node(2))
FOUR = pair(pair(Node(1), Node(2)), pair(Node(3), Node(4)))
RIGHT = pair(Node(5), pair(Node(4), pair(Node(3), Node(2))))
BINARY = [(FOUR,), (ONE,), (TWO,), (RIGHT,)]


@case(inputs=SHRUBS)
def counted(root: Any) -> Any:
    """Recursive methods of the tree's own class give numbers"""
    return root.size(), root.depth(), root.is_leaf()


@case(inputs=SHRUBS)
def counted_once(root: Any) -> Any:
    """A method keeps its result in the nodes, and finds it there"""
    return root.cached_size(), root.cached_size()


@case(inputs=SHRUBS)
class ChildSum(nn.Module):
    """A child-sum Tree-LSTM that returns the states"""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(6, 4)
        self.iou = nn.Linear(8, 12)
        self.forget_x = nn.Linear(4, 4)
        self.forget_h = nn.Linear(4, 4)

    def node(self, x: Tensor, h: Tensor, carried: Tensor) -> Any:
        i, o, u = self.iou(torch.cat([x, h], dim=1)).chunk(3, dim=1)
        c = torch.sigmoid(i) * torch.tanh(u) + carried
        return c, torch.sigmoid(o) * torch.tanh(c)

    def forward(self, root: Any) -> Any:
        x = self.embedding(torch.tensor([root.word]))
        h_sum = torch.zeros(1, 4)
        carried = torch.zeros(1, 4)
        for child in root.children:
            c, h = self.forward(child)
            h_sum = h_sum + h
            carried = carried + torch.sigmoid(self.forget_x(x) + self.forget_h(h)) * c
        return self.node(x, h_sum, carried)


@case(inputs=SHRUBS)
class StatesInTheTree(ChildSum):
    """A child-sum Tree-LSTM that keeps the states in the tree, as the well-known one does"""

    def forward(self, root: Any) -> Any:
        for index in range(root.num_children):
            self.forward(root.children[index])
        x = self.embedding(torch.tensor([root.word]))
        h_sum = torch.zeros(1, 4)
        carried = torch.zeros(1, 4)
        if root.num_children > 0:
            for child in root.children:
                c, h = child.state
                h_sum = h_sum + h
                carried = carried + torch.sigmoid(self.forget_x(x) + self.forget_h(h)) * c
        root.state = self.node(x, h_sum, carried)
        return root.state


@case(inputs=BINARY)
class BinaryTree(nn.Module):
    """A binary Tree-LSTM: leaves are embedded, inner nodes composed, two forget gates"""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(6, 4)
        self.leaf = nn.Linear(4, 8)
        self.compose = nn.Linear(8, 20)
        self.classify = nn.Linear(4, 3)

    def encode(self, node: Any) -> Any:
        if node.left is None and node.right is None:  # known
            c, o = self.leaf(self.embedding(torch.tensor([node.word]))).chunk(2, dim=1)
            return c, torch.sigmoid(o) * torch.tanh(c)
        left_c, left_h = self.encode(node.left)
        right_c, right_h = self.encode(node.right)
        gates = self.compose(torch.cat([left_h, right_h], dim=1))
        i, left_f, right_f, u, o = gates.chunk(5, dim=1)
        c = torch.sigmoid(i) * torch.tanh(u)
        c = c + torch.sigmoid(left_f) * left_c + torch.sigmoid(right_f) * right_c
        return c, torch.sigmoid(o) * torch.tanh(c)

    def forward(self, node: Any) -> Any:
        _, h = self.encode(node)
        return F.log_softmax(self.classify(h), dim=1)


@case(inputs=BINARY)
class Recursive(nn.Module):
    """A recursive network whose leaves have no parts"""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(6, 4)
        self.merge = nn.Linear(8, 4)

    def forward(self, node: Any) -> Any:
        if not node.parts:
            return self.embedding(torch.tensor([node.word]))
        left = self.forward(node.parts[0])
        right = self.forward(node.parts[1])
        return torch.tanh(self.merge(torch.cat([left, right], dim=1)))


class Branching(Tree):
    """A tree of another class, with something of its own."""

    def __init__(self, word: int) -> None:
        super().__init__(word)  # at import
        self.weight = word + 0.5  # at import

    def name(self) -> str:
        """Return what the class is called here."""
        return "branching"


class Plain(Tree):
    """A tree of a class that lacks what the other one has."""

    def name(self) -> str:
        """Return what the class is called here."""
        return "plain"


def grown(kind: type[Tree], word: int, *words: int) -> Tree:
    """Return a tree of one class with children of that class."""
    made = kind(word)  # at import
    for inner in words:  # at import
        made.add_child(grown(kind, inner))  # at import
    return made  # at import


PAIRS = [
    (grown(Plain, 1, 2, 3), grown(Branching, 4, 5), torch.tensor(0.5)),
    (grown(Plain, 3), grown(Branching, 2, 1, 6), torch.tensor(-0.5)),
]


@case(inputs=PAIRS)
def either_tree(one: Any, other: Any, x: Tensor) -> Any:
    """What holds one of two arguments at run time is asked for what that argument's class has."""
    chosen = one if x > 0 else other
    weight = chosen.weight if hasattr(chosen, "weight") else 0.0
    return chosen.name(), weight, isinstance(chosen, Plain), chosen.size()


@case(inputs=[(shrub, SHRUBS[0][0]) for (shrub,) in SHRUBS])
def both_trees(one: Any, other: Any) -> Any:
    """A function that calls itself is called with the tree of each of two arguments."""
    return one.depth() + 10 * other.depth()
