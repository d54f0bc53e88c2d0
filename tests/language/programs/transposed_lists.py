"""zip(*rows): columns of a list whose length is known only at run time."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

FOUR = [(MIXED,), (POSITIVE,), (NEGATIVE,), (ZERO,)]


def grown(x):
    """Return pairs of a tensor and a number, as many as the input says."""
    pairs = []
    while x.sum() > 0.5:
        pairs.append((x * 2, x.sum().item()))
        x = x - 1
    return pairs


@case(inputs=FOUR)
def columns_of_pairs(x):
    """Two columns, unpacked, then joined."""
    pairs = grown(x)
    if not pairs:
        return x, 0.0
    tensors, numbers = zip(*pairs)
    return torch.cat(tensors, dim=0), sum(numbers)


@case(inputs=FOUR)
def columns_of_what_map_gives(x):
    """The rows come out of a lazy map over a run-time list."""
    pairs = grown(x)
    if len(pairs) == 0:
        return x
    tensors, numbers = zip(*map(lambda pair: (pair[0] + 1, pair[1]), pairs))
    return torch.stack(tensors).sum(dim=0) * len(numbers)


@case(inputs=FOUR)
def no_rows_have_no_columns(x):
    """Without rows there is nothing to unpack: ValueError."""
    tensors, numbers = zip(*grown(x))
    return tensors[0], numbers


@case(inputs=FOUR)
def columns_as_a_list(x):
    """list(zip(*rows)): a list of tuples, empty without rows."""
    columns = list(zip(*grown(x)))
    return len(columns), columns


class Node:
    """A node of a tree that keeps its state."""

    def __init__(self, index, children=()):
        self.index = index  # at import
        self.children = list(children)  # at import
        self.num_children = len(self.children)  # at import
        self.state = None  # at import


SMALL = Node(0, [Node(1), Node(2, [Node(3)])])
FLAT = Node(2, [Node(0), Node(1), Node(3)])


@case(inputs=[(SMALL, MIXED), (Node(0), MIXED), (FLAT, POSITIVE)], slow=True)
class ChildSum(nn.Module):
    """A Tree-LSTM that joins the states which it left at the children."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)
        self.below = nn.Linear(3, 3)

    def node_forward(self, inputs, child_c, child_h):
        gates = torch.sigmoid(self.below(child_h) + self.inner(inputs).repeat(len(child_h), 1))
        c = self.inner(inputs) + torch.sum(gates * child_c, dim=0, keepdim=True)
        return c, torch.tanh(c)

    def forward(self, tree, inputs):
        rows = torch.cat([inputs, inputs * 2], dim=0)
        return self.at(tree, rows)

    def at(self, tree, inputs):
        for index in range(tree.num_children):
            self.at(tree.children[index], inputs)
        if tree.num_children == 0:
            child_c = inputs[0].detach().new(1, 3).fill_(0.0)
            child_h = inputs[0].detach().new(1, 3).fill_(0.0)
        else:
            child_c, child_h = zip(*map(lambda child: child.state, tree.children))
            child_c, child_h = torch.cat(child_c, dim=0), torch.cat(child_h, dim=0)
        tree.state = self.node_forward(inputs[tree.index], child_c, child_h)
        return tree.state
