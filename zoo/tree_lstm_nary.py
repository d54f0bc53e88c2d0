"""The N-ary Tree-LSTM: a gate of its own for the first child, the second, and so on.

Tai, Socher, Manning: "Improved Semantic Representations From Tree-Structured Long Short-Term
Memory Networks", ACL 2015; well-known upstream repositories: dasguptar/treelstm.pytorch and
stanfordnlp/treelstm (an own implementation, not a copy).

A node has a word and at most N children, in order. Child k multiplies its state by weights of
position k, for the gates of the node and for the forget gate of each child: (N + 1) x N products
where the child-sum form has one. `build_model` is small; `build_large` has words of 300 numbers and
states of 150, the sizes of the paper. Both have N = 2; weights are seeded.
"""

import random

import torch
from torch import nn

WORDS = 50
MOST_CHILDREN = 2


class Tree:
    """A node with a word and its children, in order."""

    def __init__(self, word):
        self.word = word
        self.children = []


class NaryTreeLSTM(nn.Module):
    """Gates for each position; classifies the root."""

    def __init__(self, n_ary=MOST_CHILDREN, in_dim=16, mem_dim=24, num_classes=5):
        super().__init__()
        self.n_ary = n_ary
        self.mem_dim = mem_dim
        self.emb = nn.Embedding(WORDS, in_dim)
        self.ioux = nn.Linear(in_dim, 3 * mem_dim)
        self.iouh = nn.ModuleList(
            [nn.Linear(mem_dim, 3 * mem_dim, bias=False) for _ in range(n_ary)]
        )
        self.fx = nn.Linear(in_dim, mem_dim)
        # fh[k][other]: what child `other` says to the forget gate of child k
        self.fh = nn.ModuleList(
            [
                nn.ModuleList([nn.Linear(mem_dim, mem_dim, bias=False) for _ in range(n_ary)])
                for _ in range(n_ary)
            ]
        )
        self.output = nn.Linear(mem_dim, num_classes)

    def node_forward(self, inputs, states):
        """Return the state (c, h) of a node from its word and the states of its children."""
        iou = self.ioux(inputs)
        for k in range(len(states)):
            iou = iou + self.iouh[k](states[k][1])
        i, o, u = torch.chunk(iou, 3, dim=1)
        c = torch.sigmoid(i) * torch.tanh(u)
        for k in range(len(states)):
            f = self.fx(inputs)
            for other in range(len(states)):
                f = f + self.fh[k][other](states[other][1])
            c = c + torch.sigmoid(f) * states[k][0]
        return c, torch.sigmoid(o) * torch.tanh(c)

    def encode(self, tree):
        """Return the state of the tree's root."""
        states = [self.encode(child) for child in tree.children]
        return self.node_forward(self.emb(torch.tensor([tree.word])), states)

    def forward(self, tree):
        """Return the logits of the classes."""
        _, h = self.encode(tree)
        return self.output(h)


def _seeded(**sizes):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(15)
        return NaryTreeLSTM(**sizes).eval()


def build_model():
    """Build a small one for up to two children."""
    return _seeded()


def build_large():
    """Build it at the sizes of the paper, for up to two children."""
    return _seeded(in_dim=300, mem_dim=150)


def grown(generator, nodes):
    """Return a tree of so many nodes, each hung below one that has room."""
    root = Tree(generator.randrange(WORDS))
    free = [root]
    for _ in range(nodes - 1):
        parent = generator.choice(free)
        child = Tree(generator.randrange(WORDS))
        parent.children.append(child)
        free.append(child)
        if len(parent.children) == MOST_CHILDREN:
            free.remove(parent)
    return root


def example_inputs():
    return (grown(random.Random(0), 6),)


def sample_inputs(count, seed=0):
    """Return trees of one to twenty nodes."""
    generator = random.Random(seed)
    return [(grown(generator, generator.randrange(1, 21)),) for _ in range(count)]


def decide(outputs):
    """The class."""
    return int(outputs.argmax())
