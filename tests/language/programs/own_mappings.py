"""Mappings, sequences and sets of the user's: by ``collections.abc``, ``UserDict``, ``UserList``"""

from collections import Counter, OrderedDict, UserDict, UserList
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence, Set

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


class Fields(MutableMapping):
    """Tensors by name."""

    def __init__(self, fields):
        self.fields = fields

    def __getitem__(self, name):
        return self.fields[name]

    def __setitem__(self, name, tensor):
        self.fields[name] = tensor

    def __delitem__(self, name):
        del self.fields[name]

    def __iter__(self):
        return iter(self.fields)

    def __len__(self):
        return len(self.fields)


class Pairs:
    """What is read as a dict because it has ``keys``."""

    def __init__(self, names):
        self.names = names

    def keys(self):
        return self.names

    def __getitem__(self, name):
        return len(name)


class Stack(MutableSequence):
    """A list of tensors."""

    def __init__(self, *items):
        self.items = list(items)

    def __getitem__(self, place):
        return self.items[place]

    def __setitem__(self, place, item):
        self.items[place] = item

    def __delitem__(self, place):
        del self.items[place]

    def __len__(self):
        return len(self.items)

    def insert(self, place, item):
        self.items.insert(place, item)


class Window(Sequence):
    """Numbers of which each is asked for."""

    def __init__(self, start, length):
        self.start = start
        self.length = length

    def __getitem__(self, place):
        if place >= self.length:
            raise IndexError(place)
        return self.start + place

    def __len__(self):
        return self.length


class Ordered(Set):
    """A set with an order."""

    def __init__(self, items=()):
        self.items = list(dict.fromkeys(items))

    def __contains__(self, item):
        return item in self.items

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)


@case(inputs=BOTH)
def read_by_inherited_methods(x):
    """get, in, keys, items, values and == are those of Mapping."""
    fields = Fields({"a": x + 1, "b": x * 2})
    total = fields.get("c", x)
    for name, tensor in fields.items():
        if tensor.sum() > 0:
            total = total + tensor * len(name)
    same = Fields({"a": 1}) == {"a": 1}, Fields({"a": 1}) != Fields({"a": 2})
    return total, "a" in fields, "c" in fields, list(fields.keys()), list(fields.values()), same


@case(inputs=BOTH)
def changed_by_inherited_methods(x):
    """update, setdefault, pop, popitem and clear are those of MutableMapping."""
    fields = Fields({"a": x + 1, "b": x * 2})
    fields.update({"a": x}, c=x - 1)
    kept = fields.setdefault("b", x), fields.setdefault("d", x * 3)
    popped = fields.pop("a"), fields.pop("missing", 0), fields.popitem()
    if x.sum() > 0:
        fields.clear()
    return kept, popped, list(fields), len(fields)


@case(inputs=BOTH)
def missing_key_of_a_mapping(x):
    """pop() of what is not there raises the KeyError of the class."""
    try:
        return Fields({"a": x}).pop("b")
    except KeyError as error:
        return x, str(error)


@case(inputs=BOTH)
def made_into_dicts(x):
    """dict(), update(), {**m} and f(**m) ask a mapping for its keys, then for each item."""

    def weighted(a, b):
        return a - b * 2

    fields = Fields({"a": x + 1, "b": x * 2})
    table = {"z": 1}
    table.update(fields)
    table.update(Pairs(["one", "three"]), last=0)
    plain = dict(fields), OrderedDict(fields), dict(Pairs(["two"]), more=1)
    return weighted(**fields), table, plain, {**fields, "a": x}, {**Pairs(["four"])}


@case(inputs=BOTH)
def keys_known_at_run_time(x):
    """What is stored under a test is there or not."""
    fields = Fields({})
    for place in range(x.shape[0]):
        if x[place, 0] > 0:
            fields[place] = x[place] * 2
    return len(fields), dict(fields), sum(fields.values(), torch.zeros(3))


@case(inputs=BOTH)
def names_that_are_no_strings(x):
    """Keywords must be strings."""

    def named(**given):
        return given  # never

    try:
        return named(**{1: x})
    except TypeError as error:
        return x, str(error)


@case(inputs=BOTH)
def stack_of_the_users(x):
    """append, extend, reverse, pop, remove, index and += are those of MutableSequence."""
    stack = Stack(x, x + 1)
    stack.append(x * 2)
    stack.extend([x * 3, x])
    stack.reverse()
    stack += [x - 1]
    last, first = stack.pop(), stack.pop(0)
    total = first
    for item in stack:
        if item.sum() > 0:
            total = total + item
    numbers = Stack(1, 2, 3)
    numbers.remove(2)
    return total, last, len(stack), numbers.index(3), list(numbers), 2 in numbers


@case(inputs=BOTH)
def window_is_asked_for_places(x):
    """Walking, reversed(), index() and count() ask a Sequence for one place after the other."""
    window = Window(3, 4)
    total = x
    for number in window:
        if total.sum() > number:
            total = total - number
    for number in reversed(window):
        total = total * number
    return total, window.index(5), window.count(4), 6 in window, list(window)


@case(inputs=BOTH)
def sets_of_the_users(x):
    """& | - ^ <= and isdisjoint are those of Set."""
    one, two = Ordered([1, 2, 3]), Ordered([2, 3, 4])
    both = one & two if x.sum() > 0 else one | two
    return list(both), list(one - two), list(one ^ two), one <= two, one.isdisjoint([9]), x


class Keeper(nn.Module):
    """Keeps mappings of layers and numbers."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = Fields({"up": nn.Linear(3, 3), "down": nn.Linear(3, 3)})
        self.limits = Fields({"low": 0.5, "high": 2.0})

    def forward(self, x):
        """A model keeps mappings"""
        for name, layer in self.layers.items():
            if x.sum() > self.limits.get(name, self.limits["low"]):
                x = layer(x)
        return x, {**self.limits}, len(self.layers)


case(inputs=BOTH)(Keeper)


@case(inputs=BOTH)
def is_a_mapping(x):
    """isinstance() knows what a class inherits."""
    fields = Fields({"a": x})
    kinds = isinstance(fields, Mapping), isinstance(fields, dict), isinstance({}, Mapping)
    return kinds, isinstance(Window(0, 1), Sequence), isinstance(fields.keys(), Set), x


@case(inputs=BOTH, refused=True)
def counted_mapping(x):
    """Counter() of a mapping of the user's"""
    return Counter(Fields({"a": 2}))["a"] + x  # <- refused


class Encoding(UserDict):
    """Tensors by name, which are attributes too."""

    def __init__(self, data=None, kind="plain"):
        super().__init__(data)
        self.kind = kind

    def __getattr__(self, name):
        try:
            return self.data[name]
        except KeyError:
            raise AttributeError(name) from None

    def __getitem__(self, name):
        if name == "last":
            name = list(self.data)[-1]
        return super().__getitem__(name)

    def to(self, dtype):
        self.data = {name: tensor.to(dtype) for name, tensor in self.data.items()}
        return self


class Queue(UserList):
    """A list with a method more."""

    def newest(self):
        return self.data[-1]


@case(inputs=BOTH)
def encoding_of_the_users(x):
    """A subclass of UserDict, with items that are attributes."""
    encoding = Encoding({"ids": x, "mask": x > 0}).to(torch.float64)
    encoding.update(types=x)
    if x.sum() > 0:
        encoding["last"] = encoding.ids + 1
    try:
        missing = encoding.missing
    except AttributeError as error:
        missing = str(error)
    found = encoding["last"], encoding.mask, "types" in encoding, "kind" in encoding
    return found, encoding.kind, missing, len(encoding), dict(encoding), {**encoding}


@case(inputs=BOTH)
def user_dict_itself(x):
    """UserDict is taken as it is, too."""
    table = UserDict({"a": x}, b=x * 2)
    table["c"] = table.pop("a") + 1
    return table.data, len(table), table.get("a"), list(table), table.setdefault("d", x)


@case(inputs=BOTH)
def list_of_the_users(x):
    """A subclass of UserList."""
    queue = Queue([x, x + 1])
    queue.append(x * 2)
    total = queue.newest()
    for tensor in queue:
        if tensor.sum() > 0:
            total = total + tensor
    return total, len(queue), queue[0], queue[-1], list(queue[1:]), list(reversed(queue))
