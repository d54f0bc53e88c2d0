"""The child-sum Tree-LSTM: a network that follows the tree it is given, node by node.

Tai, Socher, Manning: "Improved Semantic Representations From Tree-Structured Long Short-Term
Memory Networks", ACL 2015; well-known upstream repository: dasguptar/treelstm.pytorch (an own
implementation, not a copy).

`ChildSumTreeLSTM` takes a dependency tree: a word at each node, any number of children, whose
states it adds up behind a forget gate for each. It is called on the root and calls itself on what
is below; the computation is as large as the tree. `build_model` is small; `build_large` has words
of 300 numbers and states of 150, as in the paper. Weights are as seeded; trees are generated.
"""

import random

import torch
from torch import Tensor, nn

WORDS = 50


class Tree:
    """A node of a dependency tree, with all that hangs below it."""

    def __init__(self, word: int):
        self.word = word
        self.parent = None
        self.children = []

    def add_child(self, child):
        """Hang a tree below this node."""
        child.parent = self
        self.children.append(child)

    def size(self):
        """Return the number of nodes."""
        return 1 + sum(child.size() for child in self.children)


class ChildSumTreeLSTM(nn.Module):
    """Sums the states of the children; classifies the root."""

    def __init__(self, in_dim=16, mem_dim=24, num_classes=5):
        super().__init__()
        self.mem_dim = mem_dim
        self.emb = nn.Embedding(WORDS, in_dim)
        self.ioux = nn.Linear(in_dim, 3 * mem_dim)
        self.iouh = nn.Linear(mem_dim, 3 * mem_dim, bias=False)
        self.fx = nn.Linear(in_dim, mem_dim)
        self.fh = nn.Linear(mem_dim, mem_dim, bias=False)
        self.output = nn.Linear(mem_dim, num_classes)

    def node_forward(self, inputs, child_h_sum, forgotten):
        """Return the state (c, h) of a node from its word and what its children remember."""
        iou = self.ioux(inputs) + self.iouh(child_h_sum)
        i, o, u = torch.chunk(iou, 3, dim=1)
        c = torch.sigmoid(i) * torch.tanh(u) + forgotten
        return c, torch.sigmoid(o) * torch.tanh(c)

    def encode(self, tree):
        """Return the state of the tree's root."""
        inputs = self.emb(torch.tensor([tree.word]))
        child_h_sum = torch.zeros(1, self.mem_dim)
        forgotten = torch.zeros(1, self.mem_dim)
        for child in tree.children:
            c, h = self.encode(child)
            f = torch.sigmoid(self.fx(inputs) + self.fh(h))
            child_h_sum = child_h_sum + h
            forgotten = forgotten + f * c
        return self.node_forward(inputs, child_h_sum, forgotten)

    def forward(self, tree):
        """Return the logits of the classes."""
        _, h = self.encode(tree)
        return self.output(h)


def _seeded(**sizes: int) -> ChildSumTreeLSTM:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(15)
        return ChildSumTreeLSTM(**sizes).eval()


def build_model() -> ChildSumTreeLSTM:
    """Build a small one; the same each time."""
    return _seeded()


def build_large() -> ChildSumTreeLSTM:
    """Build it at the sizes of the paper; the same each time."""
    return _seeded(in_dim=300, mem_dim=150)


def grown(random: random.Random, nodes: int) -> Tree:
    """Return a dependency tree of so many nodes, each hung below one that is there already."""
    made = [Tree(random.randrange(WORDS))]
    for _ in range(nodes - 1):
        made.append(Tree(random.randrange(WORDS)))
        random.choice(made[:-1]).add_child(made[-1])
    return made[0]


def example_inputs() -> tuple[Tree]:
    """A root with a leaf and a branch: all that a tree can hold."""
    root, branch = Tree(0), Tree(1)
    root.add_child(Tree(2))
    root.add_child(branch)
    branch.add_child(Tree(3))
    return (root,)


def sample_inputs(count: int, seed: int) -> list[tuple[Tree]]:
    """Dependency trees of one to twenty nodes."""
    generator = random.Random(seed)
    return [(grown(generator, generator.randrange(1, 21)),) for _ in range(count)]


def decide(outputs: Tensor) -> int:
    """The class."""
    return int(outputs.argmax())
