"""Tensors as keys of dicts and elements of sets: found by which object they are."""

from collections import defaultdict

import torch
from torch import nn
from torch.utils._pytree import tree_map

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE, MIXED), (NEGATIVE, POSITIVE)]
EMPTY = {}


@case(inputs=ROWS)
def seen(x, y):
    """A tensor is in a set if it is the one that was put there: equal ones are others."""
    found = set()
    found.add(x)
    found.add(x)
    if x.sum() > 0:
        found.add(y)
    else:
        found.discard(y)
    return x in found, y in found, x.clone() in found, y not in found, len(found), bool(found)


@case(inputs=ROWS)
def made_of_tensors(x, y):
    """Displays, comprehensions and ``set(...)`` hold each tensor once; other keys stay as they are."""
    whole = {x, y, x}
    taken = {each for each in [x, y, x]}
    mixed = set([1, "a", x])
    fixed = frozenset([x, y])
    return (
        len(whole), len(taken), len(mixed), 1.0 in mixed, "a" in mixed, "b" in mixed, x in mixed,
        y in mixed, x in fixed, x + 1 in fixed, len(fixed), isinstance(whole, set), type(fixed) is frozenset,
    )  # fmt: skip


@case(inputs=ROWS)
def sets_of_tensors(x, y):
    """What is made of two sets, and what they are asked."""
    one, both = {x}, {x, y}
    more = both | {x + 1}
    changed = both.copy()
    name = changed
    changed -= {x}
    changed |= {1}
    return (
        len(both - one), y in both - one, len(both & one), len(more), len({1, 2} | one), one <= both, both <= one,
        one == {x}, one != both, one.issubset(both), both.issuperset(one), one.isdisjoint({y}), name is changed,
        x in name, 1 in name, len(both.union([y, 3], {4})), len(both.difference(one)), len(both.intersection([x, 5])),
    )  # fmt: skip


@case(inputs=ROWS)
def walked_alone(x, y):
    """A set of one tensor has one order."""
    found = {x, y}
    found.remove(y)
    rows = [each * 2 for each in found]
    last = found.pop()
    found.update([y])
    found.clear()
    return rows, last + 1, len(found)


@case(inputs=ROWS)
def dicts(x, y):
    """A dict keeps its keys in order, tensors among them, and finds each by what it is."""
    table = {x: 1, "b": y, 3: 2}
    table[y] = table[x] + 1
    table[x] = 5
    other = {key: value for key, value in [(x, 1), (y, 2), (x, 3)]}
    paired = dict([(x, 1), (y, other)])
    return (
        table[x], table[y], table["b"], table[3.0], table.get(x + 1, 7), table.get("c"), y in table, len(table),
        list(table.values()), [key * 1 for key in other], list(other.items()), paired[y][x], table == EMPTY,
        isinstance(table, dict), list(reversed(list(other))),
    )  # fmt: skip


@case(inputs=ROWS)
def dicts_changed(x, y):
    """All methods that change a dict."""
    table, none = {x: 1, y: 2}, {}
    given = [table.setdefault(x, 8), table.setdefault(x + 1, 8), table.pop(y), table.pop(y, None), len(table)]
    key, value = table.popitem()
    del table[x]
    return given, key, value, table == none, table == EMPTY, none.get(x, 3), len(table), not table


@case(inputs=ROWS)
def views(x, y):
    """Views of a dict show what it is at any time."""
    table = {x: 1}
    keys, values, items = table.keys(), table.values(), table.items()
    table[y] = 2
    return x in keys, y in keys, 2 in values, (y, 2) in items, (y, 3) in items, len(items), sum(values), max(values)


@case(inputs=ROWS)
def remembered(x, y):
    """A function remembers what it computed of a tensor."""
    memo = {}

    def doubled(z):
        if z not in memo:
            memo[z] = z * 2
        return memo[z]

    return doubled(x) + doubled(y) + doubled(x), len(memo), doubled(x) is doubled(x)


@case(inputs=ROWS)
def grouped(x, y):
    """A defaultdict makes the value of a tensor that it has not."""
    groups = defaultdict(list)
    for key, value in [(x, 1), (y, 2), (x, 3)]:
        groups[key].append(value)
    return list(groups.values()), isinstance(groups, defaultdict), groups.default_factory is list, groups.get(x + 1)


@case(inputs=ROWS)
def missing(x, y):
    """A tensor that is no key is missed, and the dict may be changed afterwards."""
    table = {x: 1}
    try:
        return table[y]
    except KeyError:
        table[y] = 2
    try:
        table.pop(x + 1)
    except KeyError:
        return table[y], len(table)


@case(inputs=ROWS)
def unhashable(x, y):
    """What has no hash is no key, and what changes while it is walked raises."""
    table, raised = {x: 1}, []
    try:
        return [1] in table
    except TypeError as error:
        raised.append(str(error))
    try:
        for key in table:
            table[key + y] = 2
    except RuntimeError as error:
        raised.append(str(error))
    return raised, len(table)


@case(inputs=ROWS)
def written_in_place(x, y):
    """A tensor that is written stays the key that it was."""
    z = x * 2
    table = {z: 1}
    z += y
    return table[z], z in table, z


@case(inputs=ROWS)
def on_one_path(x, y):
    """Paths that put in tensors, and others that do not, go on by themselves."""
    table = {}
    if x.sum() > 0:
        table[x] = y
    return len(table), x in table, y in table


@case(inputs=[(POSITIVE, 3), (NEGATIVE, 0), (POSITIVE, 1)])
def made_in_each_turn(x, n):
    """A loop that makes a dict in each turn asks that of the turn before."""
    table, hits, i = {}, 0, 0
    while i < n:
        x = x + 1
        hits += x in table
        table = {x: 1}
        i += 1
    return hits, len(table), x


class _Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Linear(3, 3), nn.Linear(3, 3)
        self.right.weight = self.left.weight


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
class Parameters(_Tied):
    """Parameters of the model are keys beside tensors of run time."""

    def forward(self, x):
        seen, total = {x}, x.sum()
        for layer in (self.left, self.right):
            for parameter in (layer.weight, layer.bias):
                if parameter not in seen:
                    seen.add(parameter)
                    total = total + parameter.sum()
        return total, len(seen), x in {self.left.weight}, self.right.weight in {self.left.weight: x, x: 1}


@case(inputs=ROWS, refused="DYCL037")
def chosen(x, y):
    """Which of two tensors paths have chosen is not known."""
    table = {x: 1}
    z = x if x.sum() > 0 else y
    return z in table  # <- refused


@case(inputs=ROWS, refused="DYCL037")
def of_one_memory(x, y):
    """A view of all of a tensor is another object, or the tensor itself: that is not known."""
    return x.detach() in {x}, y  # <- refused


@case(inputs=[(POSITIVE, 3), (NEGATIVE, 0)], refused="DYCL037")
def gathered(x, n):
    """Which tensors a rolled loop has put in is not known."""
    found, i = set(), 0
    while i < n:
        found.add(x)  # <- refused
        x = x + 1
        i += 1
    return len(found)


@case(inputs=ROWS, refused="DYCL051")
def walked(x, y):
    """The order of a set of tensors is that of addresses."""
    return [each * 2 for each in {x, y}]  # <- refused


@case(inputs=ROWS, refused="DYCL051")
def changed_while_walked(x, y):
    """A walk goes on by the layout of the dict where it got other keys, but as many."""
    table = {x: 1, y: 2}
    for key in table:  # <- refused
        del table[key]
        table[key + 1] = 3
    return len(table)  # never


@case(inputs=ROWS, refused="DYCL051")
def put_in_while_walked(x, y):
    """Dicts and sets that are walked get no tensors for keys."""
    table = {"a": 1, "b": 2}
    for key in table:
        table[x] = key  # <- refused
    return y  # never


@case(inputs=ROWS, refused="DYCL051")
def in_tuples(x, y):
    """Tuples of tensors are no keys."""
    return {(x, 1): y}[x, 1]  # <- refused


@case(inputs=ROWS, refused="DYCL051")
def hashed(x, y):
    """The hash of a set of tensors is that of addresses."""
    return {frozenset([x, y]): 1}  # <- refused


@case(inputs=ROWS, refused="DYCL065")
def returned(x, y):
    """The host has no tensors that are keys."""
    return {x: y}  # <- refused


@case(inputs=ROWS, refused="DYCL039")
def as_tree(x, y):
    """PyTorch's functions over trees take no dict whose keys are tensors."""
    return tree_map(lambda leaf: leaf * 2, {x: y})[x]  # <- refused


@case(inputs=[(POSITIVE, {}), (NEGATIVE, {})], refused="DYCL051")
def into_argument(x, table):
    """A dict of the caller's gets no tensors for keys."""
    table[x] = 1  # <- refused
    return len(table)


class _Kept(nn.Module):
    def __init__(self):
        super().__init__()
        self.found = None


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL037")
class KeptFromCallToCall(_Kept):
    """Whether a tensor was there in an earlier call is not known."""

    def forward(self, x):
        found = set() if self.found is None else self.found
        before = x in found  # <- refused
        found.add(x)
        self.found = found
        return before, torch.relu(x)


class _OfHash:
    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return True  # never: they are told apart by their hash

    def __hash__(self):
        return self.number


@case(inputs=[(torch.tensor([1.0, 2.0]),), (-torch.tensor([1.0, 2.0]),)])
def objects_of_other_hashes(x):
    """Objects beside tensors are told apart by their hash first."""
    table = {x: 1}
    table[_OfHash(1)] = 2
    table[_OfHash(2)] = 3
    return x * len(table) if x.sum() > 0 else x


@case(inputs=[(torch.tensor([1.0, 2.0]),), (-torch.tensor([1.0, 2.0]),)])
def proper_subsets(x):
    """Sets of tensors within larger ones."""
    one, both = {x}, {x, x + 1}
    smaller = (one < both) + 2 * (both > one) + 4 * (one < one) + 8 * (both < one)
    return x * smaller if x.sum() > 0 else x


@case(inputs=[(torch.tensor([1.0, 2.0]),), (-torch.tensor([1.0, 2.0]),)])
def factory_taken_away(x):
    """A defaultdict of tensors makes no more values."""
    table = defaultdict(list)
    table[x].append(1)
    table.default_factory = None
    try:
        table[x + 1]
    except KeyError:
        return x * len(table) if x.sum() > 0 else x
    return x + 100  # never


@case(inputs=[(torch.ones(2), torch.zeros(2))])
def walked_from_the_end(x, y):
    """A dict with tensors for keys, and what it has, is walked from the end, too."""
    d = {x: 1, y: 2}
    return list(reversed(d.values())), [d[k] for k in reversed(d)]


@case(inputs=[(torch.ones(2), torch.zeros(2))], refused="DYCL051")
def views_that_are_sets(x, y):
    """Views are compared as sets, in a `try`, too."""
    d, e = {x: 1}, {x: 2, y: 3}
    try:
        return d.keys() <= e.keys()  # <- refused
    except TypeError:  # never
        return None  # never
