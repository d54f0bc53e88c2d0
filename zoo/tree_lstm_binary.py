"""The binary Tree-LSTM: the N-ary form for constituency trees, with two parts at each node.

Tai, Socher, Manning: "Improved Semantic Representations From Tree-Structured Long Short-Term
Memory Networks", ACL 2015; well-known upstream repository: dasguptar/treelstm.pytorch (an own
implementation, not a copy).

`BinaryTreeLSTM` takes a constituency tree: words at the leaves, two parts at every other node, a
forget gate for the left and one for the right. It is called on the root and calls itself on what is
below; the computation is as large as the tree. `build_model` is small; `build_large` has words of
300 numbers and states of 150, as in the paper. Weights are as seeded; trees are generated.
"""

import random

import torch
from torch import Tensor, nn

WORDS = 50


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


def _seeded(**sizes: int) -> BinaryTreeLSTM:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(15)
        return BinaryTreeLSTM(**sizes).eval()


def build_model() -> BinaryTreeLSTM:
    """Build a small one; the same each time."""
    return _seeded()


def build_large() -> BinaryTreeLSTM:
    """Build it at the sizes of the paper; the same each time."""
    return _seeded(in_dim=300, mem_dim=150)


def bracketed(random: random.Random, words: int) -> Phrase:
    """Return a constituency tree over so many words, cut at random places."""
    if words == 1:
        return Phrase(random.randrange(WORDS))
    cut = random.randrange(1, words)
    return Phrase(left=bracketed(random, cut), right=bracketed(random, words - cut))


def example_inputs() -> tuple[Phrase]:
    """Two words and a third."""
    return (Phrase(left=Phrase(left=Phrase(1), right=Phrase(2)), right=Phrase(3)),)


def sample_inputs(count: int, seed: int) -> list[tuple[Phrase]]:
    """Constituency trees of one to twelve words."""
    generator = random.Random(seed)
    return [(bracketed(generator, generator.randrange(1, 13)),) for _ in range(count)]


def decide(outputs: Tensor) -> int:
    """The class."""
    return int(outputs.argmax())
