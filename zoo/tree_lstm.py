"""Tree-LSTMs: networks that follow the tree they are given, node by node.

Tai, Socher, Manning: "Improved Semantic Representations From Tree-Structured Long Short-Term
Memory Networks", ACL 2015; well-known upstream repository: dasguptar/treelstm.pytorch (an own
implementation, not a copy).

`ChildSumTreeLSTM` takes a dependency tree: a word at each node, any number of children, whose
states it adds up behind a forget gate for each. `BinaryTreeLSTM` takes a constituency tree:
words at the leaves, two parts at every other node, a forget gate for the left and one for the
right. Both are called on the root and call themselves on what is below; the computation is as
large as the tree. Weights are as seeded; trees are generated.
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


class Phrase:
    """A node of a constituency tree: a word, or two parts."""

    def __init__(self, word=0, left=None, right=None):
        self.word = word
        self.left = left
        self.right = right

    @property
    def is_word(self):
        """Whether there are no parts."""
        return self.left is None and self.right is None


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


class BinaryTreeLSTM(nn.Module):
    """Composes the states of the two parts; classifies the root."""

    def __init__(self, in_dim=16, mem_dim=24, num_classes=5):
        super().__init__()
        self.emb = nn.Embedding(WORDS, in_dim)
        self.cx = nn.Linear(in_dim, mem_dim)
        self.ox = nn.Linear(in_dim, mem_dim)
        self.compose = nn.Linear(2 * mem_dim, 5 * mem_dim)
        self.output = nn.Linear(mem_dim, num_classes)

    def leaf(self, word):
        """Return the state of a word."""
        inputs = self.emb(torch.tensor([word]))
        c = self.cx(inputs)
        return c, torch.sigmoid(self.ox(inputs)) * torch.tanh(c)

    def encode(self, phrase):
        """Return the state of a phrase."""
        if phrase.is_word:
            return self.leaf(phrase.word)
        left_c, left_h = self.encode(phrase.left)
        right_c, right_h = self.encode(phrase.right)
        gates = self.compose(torch.cat([left_h, right_h], dim=1))
        i, left_f, right_f, o, u = torch.chunk(gates, 5, dim=1)
        c = torch.sigmoid(i) * torch.tanh(u)
        c = c + torch.sigmoid(left_f) * left_c + torch.sigmoid(right_f) * right_c
        return c, torch.sigmoid(o) * torch.tanh(c)

    def forward(self, phrase):
        """Return the logits of the classes."""
        _, h = self.encode(phrase)
        return self.output(h)


def build_model() -> ChildSumTreeLSTM:
    """Build a child-sum Tree-LSTM; the same one each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(15)
        return ChildSumTreeLSTM().eval()


def build_binary() -> BinaryTreeLSTM:
    """Build a binary Tree-LSTM; the same one each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(15)
        return BinaryTreeLSTM().eval()


def grown(random: random.Random, nodes: int) -> Tree:
    """Return a dependency tree of so many nodes, each hung below one that is there already."""
    made = [Tree(random.randrange(WORDS))]
    for _ in range(nodes - 1):
        made.append(Tree(random.randrange(WORDS)))
        random.choice(made[:-1]).add_child(made[-1])
    return made[0]


def bracketed(random: random.Random, words: int) -> Phrase:
    """Return a constituency tree over so many words, cut at random places."""
    if words == 1:
        return Phrase(random.randrange(WORDS))
    cut = random.randrange(1, words)
    return Phrase(left=bracketed(random, cut), right=bracketed(random, words - cut))


def example_inputs() -> tuple[Tree]:
    """A root with a leaf and a branch: all that a tree can hold."""
    root, branch = Tree(0), Tree(1)
    root.add_child(Tree(2))
    root.add_child(branch)
    branch.add_child(Tree(3))
    return (root,)


def binary_example() -> tuple[Phrase]:
    """Two words and a third."""
    return (Phrase(left=Phrase(left=Phrase(1), right=Phrase(2)), right=Phrase(3)),)


def sample_inputs(count: int, seed: int) -> list[tuple[Tree]]:
    """Dependency trees of one to twenty nodes."""
    generator = random.Random(seed)
    return [(grown(generator, generator.randrange(1, 21)),) for _ in range(count)]


def binary_samples(count: int, seed: int) -> list[tuple[Phrase]]:
    """Constituency trees of one to twelve words."""
    generator = random.Random(seed)
    return [(bracketed(generator, generator.randrange(1, 13)),) for _ in range(count)]


def decide(outputs: Tensor) -> int:
    """The class."""
    return int(outputs.argmax())
