"""Tree-FC: one fully connected layer at each node of a full binary tree.

Looks, Herreshoff, Hutchins, Norvig: "Deep Learning with Dynamic Computation Graphs" (TensorFlow
Fold), ICLR 2017, where it is the benchmark; also in its comparisons with other systems, such as
Cortex (an own implementation).

A leaf is the embedding of its word; a node that has two children concatenates their states and puts
them through the layer. Every node above the leaves has two children, so a tree of depth d costs
2^d - 1 calls of the same layer. `build_large` has states of 1024 numbers as in the paper,
`build_model` of 64. Weights are seeded; trees have depths 0 to 6.
"""

import random

import torch
from torch import nn

WORDS = 50
DEPTHS = 7


class Node:
    """A node of a full binary tree; only leaves have words."""

    def __init__(self, word=0, left=None, right=None):
        self.word = word
        self.left = left
        self.right = right

    def is_leaf(self):
        return self.left is None


class TreeFC(nn.Module):
    """Folds a tree into one vector and classifies it."""

    def __init__(self, size=64, num_classes=5):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, size)
        self.fc = nn.Linear(2 * size, size)
        self.output = nn.Linear(size, num_classes)

    def encode(self, node):
        """Return the state of a node."""
        if node.is_leaf():
            return self.embedding(torch.tensor([node.word]))
        children = torch.cat([self.encode(node.left), self.encode(node.right)], dim=1)
        return torch.relu(self.fc(children))

    def forward(self, tree):
        """Return the logits of the classes."""
        return self.output(self.encode(tree))


def _seeded(size):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = TreeFC(size).eval()
        # states neither vanish nor grow with the depth
        nn.init.kaiming_normal_(model.fc.weight, nonlinearity="relu")
        nn.init.zeros_(model.fc.bias)
    return model


def build_model():
    """Build a small one."""
    return _seeded(64)


def build_large():
    """Build it at the size of the paper."""
    return _seeded(1024)


def full(generator, depth):
    """Return a full binary tree with words drawn for its leaves."""
    if depth == 0:
        return Node(generator.randrange(WORDS))
    return Node(left=full(generator, depth - 1), right=full(generator, depth - 1))


def example_inputs():
    return (full(random.Random(0), 2),)


def sample_inputs(count, seed=0):
    """Return trees of all depths."""
    generator = random.Random(seed)
    return [(full(generator, generator.randrange(DEPTHS)),) for _ in range(count)]


def decide(outputs):
    """The class."""
    return int(outputs.argmax())
