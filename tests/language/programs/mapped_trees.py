"""Trees of tensors: functions called for each leaf, leaves taken out and put back"""

from collections import OrderedDict, defaultdict, deque, namedtuple

import torch
from torch import nn
from torch.utils._pytree import (
    tree_flatten,
    tree_leaves,
    tree_map,
    tree_map_only,
    tree_unflatten,
)

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]

Pair = namedtuple("Pair", "first second")


@case(inputs=BOTH)
def doubled(x):
    """A function of the program is called for each leaf, whatever holds it."""
    table = defaultdict(list)
    table["a"] = x
    held = [x, (x + 1, {"b": x - 1}), Pair(x, [x]), OrderedDict(c=x), deque([x], maxlen=2), table]
    found = tree_map(lambda leaf: leaf * 2, held)
    return found[:4], list(found[4]), found[4].maxlen, found[5]["missing"], found[5]["a"]


@case(inputs=BOTH)
def decided_for_each_leaf(x):
    """The function decides by the leaf, and counts its calls."""
    calls = []

    def positive(leaf):
        calls.append(len(calls))
        if leaf.sum() > 0:
            return leaf
        return -leaf + calls[-1]

    return tree_map(positive, {"a": x, "b": (x * -1, x + 1)}), calls


@case(inputs=BOTH)
def several_trees(x):
    """Trees of one structure, leaf by leaf."""
    return tree_map(lambda a, b: torch.where(a > b, a, b), {"a": x, "b": [x]}, {"a": -x, "b": [x]})


@case(inputs=BOTH)
def raised_for_a_leaf(x):
    """What the function raises is caught around the call."""

    def checked(leaf):
        if leaf.sum() < 0:
            raise ValueError("negative")
        return leaf + 1

    try:
        return tree_map(checked, [x, (x,)])
    except ValueError as error:
        return str(error)


@case(inputs=BOTH)
def tensors_only(x):
    """Leaves of a class are taken, or those that a function chooses; others stay."""
    held = {"a": x, "b": [3, "text", None], "c": -x}
    by_class = tree_map_only(torch.Tensor, lambda leaf: leaf + 1, held)
    chosen = tree_map_only(lambda leaf: leaf.sum() > 0, lambda leaf: leaf * 2, [x, (-x,)])
    return by_class, chosen


@case(inputs=BOTH)
def taken_out_and_put_back(x):
    """The structure is known, the leaves change."""
    leaves, structure = tree_flatten({"a": x, "b": [x + 1, (x,)]})
    if x.sum() > 0:
        leaves = [leaf * 2 for leaf in leaves]
    return tree_unflatten(leaves, structure), structure.num_leaves, tree_leaves([x, {"a": [x]}])


@case(inputs=BOTH)
def too_many_leaves(x):
    """Leaves that do not fit the structure are an error."""
    leaves, structure = tree_flatten([x, (x,)])
    if x.sum() > 0:
        leaves.append(x)
    try:
        return tree_unflatten(leaves, structure)
    except ValueError:
        return len(leaves)


@case(inputs=BOTH)
class HeldTrees(nn.Module):
    """A tree that the model holds."""

    def __init__(self):
        super().__init__()
        self.scales = {"a": 2, "b": [0.5, (3,)]}
        self.hidden = [torch.ones(2, 3), torch.zeros(2, 3)]

    def forward(self, x):
        """Scale the input by each, and add what is hidden."""
        scaled = tree_map(lambda scale: x * scale, self.scales)
        return scaled, tree_map(lambda hidden: hidden + x if x.sum() > 0 else hidden, self.hidden)


@case(inputs=BOTH, refused=True)
def number_of_leaves_at_run_time(x):
    """How many leaves there are is known only at run time."""
    numbers = []
    while len(numbers) < x.abs().sum():
        numbers.append(len(numbers) * 2)
    return tree_map(lambda leaf: leaf + 1, {"a": x, "b": numbers})  # <- refused


@case(inputs=BOTH, refused=True)
def leaves_chosen(x):
    """The program says what is a leaf."""
    held = [x, (x, x + 1)]
    return tree_map(len, held, is_leaf=lambda part: isinstance(part, tuple))  # <- refused


@case(inputs=BOTH, refused=True)
def other_structure(x):
    """Trees of other structures raise in PyTorch, or are taken up to the first one's leaves."""
    return tree_map(lambda a, b: (a, b), [x, x], [x, (x, x)])  # <- refused
