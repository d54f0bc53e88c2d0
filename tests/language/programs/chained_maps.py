"""`collections.ChainMap`, `TypedDict`, and sets made of dicts and of several lists."""

from collections import ChainMap
from typing import TypedDict

import torch
from torch import nn

from tests.language.harness import case

ROWS = [
    (torch.tensor([3.0, 1.0, 2.0]),),
    (torch.tensor([-1.0, -2.0, 5.0]),),
    (torch.tensor([0.0, 0.0, 0.0]),),
]


@case(inputs=ROWS)
def found_in_the_first_map(x):
    """Looked up from the first map on, written into the first, which the others do not see."""
    n = int(x[0])
    base = {"rate": 0.5, "n": n}
    chain = ChainMap({}, base)
    chain["rate"] = n * 2
    child = chain.new_child({"x": x})
    try:
        missing = child["missing"]
    except KeyError:
        missing = -1
    if child["n"] > 0:
        child["n"] = 7
    names = list(child), len(child), "x" in chain, "x" in child, dict(child.parents), base
    return names, missing, child["x"] * child["n"], child.get("y", 0), child.pop("x"), len(child)


@case(inputs=ROWS)
def chains_put_together(x):
    """Walked, spread, copied and joined by |."""
    chain = ChainMap({"a": int(x[0])}, {"a": 1, "b": x})
    longer = chain | {"c": x.sum()}
    copied = chain.copy()
    copied["a"] = 0
    del copied["a"]
    return {**longer}, sorted(chain), dict(copied.items()), bool(ChainMap()), len(chain.maps)


@case(inputs=ROWS)
class Settings(nn.Module):
    """A chain that the model keeps is read in the call."""

    def __init__(self):
        super().__init__()
        self.settings = ChainMap({"scale": 2.0}, {"scale": 1.0, "shift": 3.0})

    def forward(self, x):
        own = self.settings.new_child({"shift": x[0].item()})
        if own["shift"] > 0:
            return x * own["scale"] + own["shift"]
        return x * self.settings["scale"] + self.settings["shift"]


class Options(TypedDict, total=False):
    """Named entries."""

    x: torch.Tensor
    count: int


@case(inputs=ROWS)
def typed_dicts_are_dicts(x):
    """`Options(x=x)` is a dict, from keywords, a dict, or both."""
    options = Options(x=x, count=3)
    other = Options(options, count=int(x[0]))
    if other["count"] > 0:
        other["count"] += 1
    return options, other, type(other) is dict, options.get("missing"), Options()


@case(inputs=ROWS)
def sets_of_several(x):
    """union, update, difference and intersection with several, dicts among them by their keys."""
    places = [i for i in range(3) if x[i] > 0]
    known = {1, 2}
    whole = known.union(places, [int(x[0])], {7: x[0].item()})
    known.update(places, [int(x[1])])
    known.difference_update([0], places)
    rest = whole.difference([1], places), whole.intersection(places, [1, 2, int(x[2])])
    return sorted(whole), sorted(known), *map(sorted, rest)


@case(inputs=ROWS)
def order_of_keys(x):
    """The keys of a dict whose values are not known come into a set in Python's order."""
    table = {8: x[0], 0: x[1], 16: x[2]}
    numbers = set()
    numbers.update(table)
    numbers.update({24: x[0].item()})
    return list(numbers), list({5}.union(table)), x * len(numbers)
