"""Objects of user classes as inputs, and as results."""

import dataclasses
from types import SimpleNamespace
from typing import NamedTuple, Optional

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case


class Tree:
    """A binary parse tree over token numbers."""

    def __init__(self, token=None, left=None, right=None):
        self.token = token  # at import
        self.left = left  # at import
        self.right = right  # at import

    @property
    def is_leaf(self):
        """Whether there are no children."""
        return self.left is None


SMALL = Tree(1)
PAIR = Tree(left=Tree(1), right=Tree(2))
DEEP = Tree(left=PAIR, right=Tree(left=Tree(3), right=PAIR))


@case(inputs=[(DEEP,), (SMALL,), (PAIR,)], since=3)
class RecursiveNetwork(nn.Module):
    """A tree given as an input object is folded by recursion."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(4, 3)
        self.merge = nn.Linear(6, 3)

    def forward(self, tree):
        if tree.is_leaf:
            return self.embed(torch.tensor([tree.token]))
        both = torch.cat([self.forward(tree.left), self.forward(tree.right)], dim=1)
        return torch.tanh(self.merge(both))


class NTree:
    """A tree with any number of children."""

    def __init__(self, features, *children):
        self.features = features  # at import
        self.children = list(children)  # at import


LEAF = NTree(POSITIVE[:1])


@case(inputs=[(NTree(MIXED[:1], LEAF, NTree(NEGATIVE[:1], LEAF)),), (LEAF,)], since=3)
class ChildSum(nn.Module):
    """Child-sum recursion over objects with a list of children and tensors as features."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)

    def forward(self, tree):
        total = torch.zeros(1, 3)
        for child in tree.children:
            total = total + self(child)
        return torch.tanh(self.inner(tree.features + total))


@case(
    inputs=[
        (POSITIVE, SimpleNamespace(steps=2, scale=0.5, name="a")),
        (NEGATIVE, SimpleNamespace(steps=2, scale=0.5, name="a")),
    ],
    since=3,
)
def namespace_config(x, config):
    """A namespace of numbers and strings as configuration."""
    for _ in range(config.steps):
        if x.sum() > 0:
            x = x * config.scale
    return x, config.name


@dataclasses.dataclass
class Batch:
    """Inputs that belong together."""

    tokens: torch.Tensor
    mask: torch.Tensor
    limit: int = 2
    extra: Optional[torch.Tensor] = None


ON, OFF = torch.ones(2, 1), torch.tensor([[1.0], [0.0]])


@case(inputs=[(Batch(POSITIVE, ON),), (Batch(NEGATIVE, OFF, 1),)], since=3)
def dataclass_input(batch):
    """A dataclass of tensors, a number and None as an input."""
    y = batch.tokens * batch.mask
    if batch.extra is not None:  # known
        y = y + batch.extra  # never
    if y.sum() > 0:
        y = y + batch.limit
    return y, batch.limit > 1


class Pair(NamedTuple):
    """Two tensors."""

    first: torch.Tensor
    second: torch.Tensor


@case(inputs=[(Pair(POSITIVE, NEGATIVE),), (Pair(NEGATIVE, POSITIVE),)], since=3)
def named_tuple_input(pair):
    """A named tuple goes in and comes out."""
    if pair.first.sum() > pair[1].sum():
        return Pair(pair.second, pair.first)
    return pair._replace(first=pair.first * 2)


@dataclasses.dataclass
class ModelOutput:
    """What a model returns."""

    logits: torch.Tensor
    hidden: list
    exit_layer: Optional[int] = None


@case(inputs=[(POSITIVE,), (NEGATIVE,)], since=3, may_refuse=True)
def dataclass_output(x):
    """A dataclass is returned under its name with its fields, or refused."""
    output = ModelOutput(x * 2, [x])
    if x.sum() > 0:
        output.exit_layer = 3
    return output


@case(
    inputs=[(SimpleNamespace(count=1, x=POSITIVE),), (SimpleNamespace(count=1, x=NEGATIVE),)],
    since=3,
    may_refuse=True,
)
def input_object_is_mutated(state):
    """Attributes of an input object written by the call change for the caller, or it is refused."""
    if state.x.sum() > 0:
        state.count += 1
    state.last = state.x * 2
    return state.count
