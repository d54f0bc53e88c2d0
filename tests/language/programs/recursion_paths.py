"""Recursive functions whose paths are walked: base cases, last children, layers by position"""

from typing import Any

import torch
from torch import Tensor, nn

from tests.language.harness import case


class Item:
    """A word, what hangs below it, and a mark."""

    def __init__(self, word: int, *children: "Item", mark: bool = False) -> None:
        self.word = word  # at import
        self.children = list(children)  # at import
        self.mark = mark  # at import


def deep(word: int, depth: int) -> Item:
    """Return a chain."""
    return Item(word, deep(word, depth - 1)) if depth else Item(word)  # at import


TREES: list[Any] = [
    (Item(3, Item(1, Item(2)), Item(2)),),
    (Item(0),),
    (Item(0, Item(1)),),
    (Item(0, Item(1), Item(2)),),
    (Item(3, Item(1), Item(2, Item(4), Item(0))),),
    (deep(1, 5),),
]
MANY = (Item(0, Item(1), Item(2), Item(3)),)
SHARED = Item(2, Item(1))


class Words(nn.Module):
    """An embedding and some layers."""

    def __init__(self) -> None:
        super().__init__()
        self.emb = nn.Embedding(5, 4)  # at import
        self.own = nn.Linear(4, 4)  # at import
        self.below = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])  # at import

    def look(self, item: Item) -> Tensor:
        """Return what stands for a word."""
        return self.emb(torch.tensor([item.word]))


@case(inputs=[*TREES, MANY, (Item(0, SHARED, SHARED),), (Item(0, Item(9)),), (Item(9, Item(1)),)], messages=False)
class SumsUpChildren(Words):
    """The state of a node is that of its children summed up; words out of range raise"""

    def encode(self, item: Item) -> Tensor:
        """Return the state of a node."""
        state = self.look(item)
        for child in item.children:
            state = torch.tanh(state + self.own(self.encode(child)))
        return torch.sigmoid(self.own(state))

    def forward(self, item: Item) -> Tensor:
        """Return the state of the root."""
        return self.encode(item)


@case(inputs=[*TREES, MANY, (Item(0, SHARED, SHARED),)], messages=False)
class LayersByPosition(Words):
    """Each child has a layer by its position; one child too many raises"""

    def encode(self, item: Item) -> tuple[Tensor, Tensor]:
        """Return two states of a node."""
        states = [self.encode(child) for child in item.children]
        c = self.own(self.look(item))
        for k in range(len(states)):
            c = c + self.below[k](states[k][1])
        for k in range(len(states)):
            for other in range(len(states)):
                c = c + torch.sigmoid(self.below[k](states[other][1])) * states[k][0]
        return c, torch.tanh(c)

    def forward(self, item: Item) -> Tensor:
        """Return a state of the root."""
        return self.encode(item)[1]


@case(inputs=[*TREES, (Item(1, mark=True),), (Item(9, mark=True),), (Item(9),), (Item(0, Item(9, mark=True)),)], messages=False)
class ReadsAWordOnOneWay(Words):
    """A word that is out of range raises, whether its state is read on this way or not"""

    def encode(self, item: Item) -> Tensor:
        """Return the state of a node."""
        state = self.look(item)
        if item.mark:
            return torch.zeros(1, 4)
        for child in item.children:
            state = state + self.encode(child)
        return self.own(state)

    def forward(self, item: Item) -> Tensor:
        """Return the state of the root."""
        return self.encode(item)


@case(inputs=[*TREES, MANY])
class ListGrowsBetweenTests(Words):
    """A list is asked for its length, grows, and is asked again"""

    def encode(self, item: Item) -> Tensor:
        """Return the state of a node."""
        found = [self.encode(child) for child in item.children]
        state = self.look(item)
        if len(found) < 2:
            found.append(self.own(state))
        if len(found) < 2:
            found.append(torch.relu(state))
        for k in range(len(found)):
            state = state + found[k]
        if len(found) > 2:
            state = self.own(state)
        return torch.tanh(state)

    def forward(self, item: Item) -> Tensor:
        """Return the state of the root."""
        return self.encode(item)


@case(inputs=[*TREES, MANY])
class DecidesByTheState(Words):
    """A test of a child's state comes between the child and its parent"""

    def encode(self, item: Item) -> Tensor:
        """Return the state of a node."""
        state = self.look(item)
        for child in item.children:
            below = self.encode(child)
            if below.sum().item() > 0:
                state = state - below
            else:
                state = self.own(state + below)
        return state

    def forward(self, item: Item) -> Tensor:
        """Return the state of the root."""
        return self.encode(item)


@case(inputs=[*TREES, MANY])
class CountsDown(Words):
    """A loop from the last child to the first: one less than a length may be below zero"""

    def encode(self, item: Item) -> Tensor:
        """Return the state of a node."""
        state = self.look(item)
        k = len(item.children) - 1
        while k >= 0:
            state = torch.tanh(state + self.own(self.encode(item.children[k])))
            k -= 1
        return torch.tanh(self.own(state))

    def forward(self, item: Item) -> Tensor:
        """Return the state of the root."""
        return self.encode(item)


@case(inputs=[*TREES, MANY])
class ComparesLengths(Words):
    """The difference of two lengths is compared with zero: it may be below"""

    def encode(self, item: Item, besides: list[Item]) -> Tensor:
        """Return the state of a node that has some siblings."""
        state = self.own(self.look(item))
        more = len(item.children) - len(besides)
        if more < 0:
            state = torch.relu(state)
        if more >= 0:
            state = state + 1
        for child in item.children:
            state = state + self.own(self.encode(child, item.children))
        return torch.tanh(state)

    def forward(self, item: Item) -> Tensor:
        """Return the state of the root."""
        return self.encode(item, item.children)


@case(inputs=[*TREES, MANY])
class SomeOfTheChildren(Words):
    """A slice of the children is walked from its beginning, where two tests have passed"""

    def encode(self, item: Item, depth: int) -> Tensor:
        """Return the state of a node, which has fewer children the deeper it is."""
        left = len(item.children) - depth
        state = self.look(item)
        if left <= 0:
            return self.own(state) if left == 0 else state
        some = item.children[:left]
        while len(some) > 0 and depth < 1:
            state = state + self.encode(some[0], depth + 1)
            some = some[1:]
        return state

    def forward(self, item: Item) -> Tensor:
        """Return the state of the root."""
        return self.encode(item, 0)


@case(
    inputs=[*TREES, MANY, (Item(1, mark=True),), (Item(9, mark=True),), (Item(0, Item(9)),)],
    messages=False,
)
class RaisesBehindAWord(Words):
    """A word out of range raises before the program's own exception, though nobody reads it then"""

    def encode(self, item: Item) -> Tensor:
        """Return the state of a node."""
        state = self.look(item)
        if item.mark:
            raise ValueError(item.word)
        for child in item.children:
            state = state + self.own(self.encode(child))
        return torch.tanh(self.own(state))

    def forward(self, item: Item) -> Tensor:
        """Return the state of the root."""
        return self.encode(item)


class Leaf:
    """A word, and a mark that may be missing."""

    def __init__(self, word: int, mark: Item | None, *children: "Leaf") -> None:
        self.word = word  # at import
        self.mark = mark  # at import
        self.children = list(children)  # at import


MARKS = [Item(0, mark=True), Item(0)]


@case(
    inputs=[
        (Leaf(1, MARKS[0], Leaf(2, None)),),
        (Leaf(1, MARKS[0], Leaf(2, MARKS[1])),),
        (Leaf(1, None),),
        (Leaf(9, None),),
        (Leaf(1, MARKS[1], Leaf(9, None)),),
    ],
    messages=False,
)
class AsksNothing(Words):
    """A word out of range raises before a test asks None for an attribute"""

    def encode(self, item: Leaf) -> Tensor:
        """Return the state of a node."""
        state = self.look(item)  # type: ignore[arg-type]
        if item.mark.mark:  # type: ignore[union-attr]
            state = self.own(state)
        for child in item.children:
            state = state + self.own(self.encode(child))
        return torch.tanh(self.own(state))

    def forward(self, item: Leaf) -> Tensor:
        """Return the state of the root."""
        return self.encode(item)
