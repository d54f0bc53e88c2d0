"""Recursive networks whose tensor code runs for many of their calls at once, and what forbids it"""

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from tests.language.harness import case

WIDTH = 384  # layers that read as many numbers are worth a batch
WORDS = 12


@dataclass
class Node:
    """A tree: words everywhere, any number of children."""

    word: int = 0
    children: list["Node"] = field(default_factory=list)


def tree(word: int, *children: Node) -> Node:
    """Return a tree."""
    return Node(word, list(children))  # at import


def full(depth: int, word: int = 1) -> Node:
    """Return a tree whose nodes have two children each."""
    if depth == 0:  # at import
        return tree(word)  # at import
    return tree(word, full(depth - 1, word + 1), full(depth - 1, word + 2))  # at import


LEAF = tree(3)
FULL = full(3)
LEANING = tree(1, tree(2, tree(3, tree(4, tree(5), tree(6)), tree(7)), tree(8)), tree(9))
WIDE = tree(1, tree(2), tree(3, tree(4)), tree(5), tree(6, tree(7), tree(8), tree(9)))
BINARY = [(FULL,), (LEAF,), (LEANING,)]
ANY = [*BINARY, (WIDE,)]
BAD_WORD = tree(1, tree(2), tree(1, tree(WORDS + 3), tree(4)))
BAD_TREE = tree(1, tree(1, tree(2), tree(3)), tree(1, tree(-1), tree(4)))
BAD_BOTH = tree(1, tree(1, tree(WORDS + 3), tree(3)), tree(1, tree(-1), tree(4)))


class Network(nn.Module):
    """Words and a wide layer."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.join = nn.Linear(2 * WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, 3)

    def word(self, node: Any) -> Tensor:
        """Return the state of a word."""
        found: Tensor = self.words(torch.tensor([node.word]))
        return found

    def joined(self, left: Tensor, right: Tensor) -> Tensor:
        """Return the state of two states."""
        return torch.tanh(self.join(torch.cat([left, right], dim=1)))


@case(inputs=BINARY)
class Binary(Network):
    """Two children or none"""

    def encode(self, node: Any) -> Tensor:
        """Return the state of a node."""
        if not node.children:
            return self.word(node)
        return self.joined(self.encode(node.children[0]), self.encode(node.children[1]))

    def forward(self, root: Any) -> Any:
        """Return scores and state."""
        state = self.encode(root)
        return self.out(state), state


@case(inputs=ANY)
class Folded(Network):
    """Children are folded in a loop, and the results have two parts"""

    def encode(self, node: Any) -> tuple[Tensor, Tensor]:
        """Return the state and the sum of a node."""
        state = self.word(node)
        total = torch.zeros(1, WIDTH)
        for child in node.children:
            below, other = self.encode(child)
            state = self.joined(state, below)
            total = total + other * 0.5
        return state, total + state

    def forward(self, root: Any) -> Any:
        """Return both, and the decision."""
        state, total = self.encode(root)
        if total.sum().item() > 0:
            return state, total, 1
        return state, -total, 0


@case(inputs=ANY)
class StatesInLists(Network):
    """States of the children are kept in a list"""

    def encode(self, node: Any) -> tuple[Tensor, Tensor]:
        """Return the states of a node."""
        states = [self.encode(child) for child in node.children]
        state = self.word(node)
        for h, _ in states:
            state = self.joined(state, h)
        if states:
            state = state + states[0][1]
        return state, torch.relu(state)

    def forward(self, root: Any) -> Any:
        """Return the first of them."""
        return self.out(self.encode(root)[0])


@case(inputs=[(FULL, torch.ones(1, WIDTH)), (LEAF, torch.zeros(1, WIDTH)), (WIDE, torch.ones(1, WIDTH))])
class WithContext(Network):
    """A tensor and a number go down with the calls"""

    def encode(self, node: Any, context: Tensor, depth: int) -> Tensor:
        """Return the state of a node."""
        state = self.word(node) * torch.tensor([[depth + 0.5]])
        for child in node.children:
            state = self.joined(state, self.encode(child, context + state, depth + 1))
        return state + context

    def forward(self, root: Any, context: Tensor) -> Any:
        """Return the state."""
        return self.encode(root, context, 0)


@case(inputs=ANY)
class TwoInTurn(Network):
    """Two functions call each other, and one of them is called from outside as well"""

    def odd(self, node: Any) -> Tensor:
        """Return the state at odd depths."""
        state = self.word(node)
        for child in node.children:
            state = self.joined(state, self.even(child))
        return state

    def even(self, node: Any) -> Tensor:
        """Return the state at even depths."""
        state = self.word(node) * 2
        for child in node.children:
            state = self.joined(self.odd(child), state)
        return state

    def forward(self, root: Any) -> Any:
        """Return both states."""
        first = self.even(root)
        return first, self.odd(root), self.out(first)


@case(inputs=ANY)
class OneInTheOther(Network):
    """A recursive function calls another one for each node"""

    def size(self, node: Any, state: Tensor) -> Tensor:
        """Return a state that has gone through the whole tree."""
        for child in node.children:
            state = self.joined(state, self.size(child, state))
        return state

    def encode(self, node: Any) -> Tensor:
        """Return the state of a node."""
        state = self.size(node, self.word(node))
        for child in node.children:
            state = state + self.encode(child)
        return state

    def forward(self, root: Any) -> Any:
        """Return the state."""
        return self.encode(root)


@case(inputs=ANY, slow=True)
class Cells(Network):
    """Cells of torch's own that have several states"""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.LSTMCell(WIDTH, WIDTH)
        self.gate = nn.GRUCell(WIDTH, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)

    def encode(self, node: Any) -> tuple[Tensor, Tensor]:
        """Return the states of a node."""
        h, c = self.cell(self.word(node))
        for child in node.children:
            below, cell = self.encode(child)
            h, c = self.cell(self.norm(below), (h, c + cell))
            h = self.gate(below, h)
        return h, c

    def forward(self, root: Any) -> Any:
        """Return both states."""
        return self.encode(root)


@case(inputs=[(FULL,), (BAD_WORD,), (BAD_TREE,), (BAD_BOTH,), (LEAF,)], messages=False)
class Raising(Network):
    """What raises first raises: a word that is none, or a number that is refused"""

    def encode(self, node: Any) -> Tensor:
        """Return the state of a node."""
        if node.word < 0:
            raise ValueError(f"no word: {node.word}")
        if not node.children:
            return self.word(node)
        return self.joined(self.encode(node.children[0]), self.encode(node.children[1]))

    def forward(self, root: Any) -> Any:
        """Return the state."""
        return self.encode(root)


@case(inputs=BINARY)
class LookedAt(Network):
    """A decision about a state in the middle: nothing can wait"""

    def encode(self, node: Any) -> Tensor:
        """Return the state of a node."""
        if not node.children:
            return self.word(node)
        left = self.encode(node.children[0])
        if left[0, 0].item() > 0.1:
            return left
        return self.joined(left, self.encode(node.children[1]))

    def forward(self, root: Any) -> Any:
        """Return the state."""
        return self.encode(root)


@case(inputs=BINARY)
class Telling(Network):
    """Lines are printed on the way: a call cannot be made again"""

    def encode(self, node: Any) -> Tensor:
        """Return the state of a node."""
        print("at", node.word)
        if not node.children:
            return self.word(node)
        return self.joined(self.encode(node.children[0]), self.encode(node.children[1]))

    def forward(self, root: Any) -> Any:
        """Return the state."""
        return self.encode(root)


@case(inputs=BINARY)
class InPlace(Network):
    """States are changed in place"""

    def encode(self, node: Any) -> Tensor:
        """Return the state of a node."""
        state = self.word(node)
        if node.children:
            left = self.encode(node.children[0])
            left += state
            state = self.joined(left, self.encode(node.children[1]))
            state[:, 0] = 1.0
        return state

    def forward(self, root: Any) -> Any:
        """Return the state."""
        return self.encode(root)


@case(inputs=ANY)
class SameTwice(Network):
    """One state stands twice in a result, and an argument is a result"""

    def encode(self, node: Any, given: Tensor) -> tuple[Tensor, Tensor]:
        """Return two states."""
        if not node.children:
            return given, given
        state = self.word(node)
        for child in node.children:
            first, second = self.encode(child, state)
            state = self.joined(first, second)
        return state, given

    def forward(self, root: Any) -> Any:
        """Return both."""
        return self.encode(root, torch.ones(1, WIDTH))


@case(inputs=[(torch.zeros(1, WIDTH), n) for n in (6, 0, 1, 9)])
class Fibonacci(Network):
    """Numbers, no trees: calls overlap"""

    def encode(self, x: Tensor, n: int) -> Tensor:
        """Return the sum of what two smaller calls give."""
        if n < 2:
            return x + n
        return self.joined(self.encode(x, n - 1), self.encode(x + 0.1, n - 2))

    def forward(self, x: Tensor, n: int) -> Any:
        """Return the state."""
        return self.encode(x, n)


@case(inputs=[(torch.randn(1, 3, 8, 8), n) for n in (3, 0, 1, 4)])
class Pictures(nn.Module):
    """Convolutions, pools and norms"""

    def __init__(self) -> None:
        super().__init__()
        self.left = nn.Conv2d(3, 3, 3, padding=1)
        self.norm = nn.BatchNorm2d(3)
        self.pool = nn.MaxPool2d(3, 1, 1)
        self.mix = nn.Linear(192, 192)
        self.back = nn.Linear(192, 1536)

    def fractal(self, x: Tensor, depth: int) -> Tensor:
        """Return the mean of a short and a long way."""
        if depth == 0:
            flat = torch.relu(self.mix(x.flatten(1)))
            return self.back(flat)[:, :192].view(1, 3, 8, 8)
        short = self.norm(torch.relu(self.left(x)))
        long = self.fractal(self.fractal(x, depth - 1), depth - 1)
        return (short + self.pool(long)) / 2

    def forward(self, x: Tensor, depth: int) -> Any:
        """Return the picture."""
        return self.fractal(x, depth)
