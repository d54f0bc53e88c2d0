"""The user's classes that derive from list, dict, OrderedDict, tuple: whose methods run."""

import contextlib
from collections import OrderedDict, deque
from typing import NamedTuple

import torch

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


class Doubling(list):
    """A list whose own ``append`` calls that of ``list``."""

    scale = 3

    def append(self, item):
        super().append(item * 2)

    def total(self):
        result = self[0]
        for item in self[1:]:
            result = result + item
        return result

    @property
    def last(self):
        return self[-1]


@case(inputs=BOTH)
def own_append_and_helpers(x):
    """append of the user's calls super().append; methods, properties, class attributes."""
    items = Doubling([x])
    items.append(x + 1)
    if x.sum() > 0:
        items.append(x - 1)
    plain = items.copy()
    plain.append(x)
    return items.total() * items.scale, items.last, len(items), plain[-1]


class Shifted(list):
    """A list that is indexed from one and says itself how long it is."""

    def __getitem__(self, index):
        return super().__getitem__(index - 1)

    def __len__(self):
        return super().__len__() * 10

    def __bool__(self):
        return super().__len__() > 1


@case(inputs=BOTH)
def own_index_length_truth(x):
    """__getitem__, __len__ and __bool__ of a list's subclass; iteration passes them by."""
    items = Shifted([x])
    if x.sum() > 0:
        items.append(x + 1)
    return items[1], len(items), bool(items), [item * 2 for item in items]


class AttributeDict(dict):
    """Keys as attributes, by methods of the user's."""

    def __getattr__(self, name):
        if name not in self:
            raise AttributeError(name)
        return self[name]

    def __setattr__(self, name, value):
        self[name] = value


class Borrowing(dict):
    """Keys as attributes, by methods of ``dict``."""

    __getattr__ = dict.get
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__


@case(inputs=BOTH)
def keys_as_attributes(x):
    """__getattr__ and __setattr__ of a dict, its own or taken over from dict."""
    one, other = AttributeDict(a=x), Borrowing(a=x)
    one.b = x + 1
    if x.sum() > 0:
        one.c = x - 1
        other.c = x * 2
    return hasattr(one, "c"), one.a + one.b, other.a, other.c is None, dict(one), list(other)


@case(inputs=BOTH)
def keys_deleted_as_attributes(x):
    """__delattr__ taken over from dict: the key is gone, or was never there."""
    settings = Borrowing(scale=2, shift=1)
    if x.sum() > 0:
        del settings.scale
    try:
        del settings.scale
        text = "deleted"
    except KeyError as error:
        text = str(error)
    return settings.scale, text, list(settings)


class Emptied(dict):
    """A dict that counts what is deleted by way of the dict's own method."""

    def __init__(self, **content):
        super().__init__(**content)
        self.deleted = 0

    def __delitem__(self, key):
        self.deleted += 1
        super().__delitem__(key)


@case(inputs=BOTH)
def deleted_by_the_inherited_method(x):
    """super().__delitem__ of a dict, and a key that is known only at run time."""
    named = Emptied(one=x, two=x + 1)
    counted = {1: x, 2: x * 2}
    if x.sum() > 0:
        del named["one"]
    dict.__delitem__(counted, 1 if x.sum() > 0 else 2)
    return named.deleted, list(named), list(counted)


class Counted(dict):
    """A dict with its own ``__init__``, ``__setitem__``, ``__missing__`` and ``get``."""

    def __init__(self, first, **rest):
        super().__init__(**rest)
        self["first"] = first

    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)

    def __missing__(self, key):
        return len(key)

    def get(self, key):
        return self[key] + 1


@case(inputs=BOTH)
def own_init_and_items(x):
    """What the user's methods of a dict do; update() of dict does not call __setitem__."""
    table = Counted(x, other=x + 1)
    if x.sum() > 0:
        table["more"] = x
    table.update(last=x)
    return table["first"], table["other"], table["more"], table.get("last"), list(table)


SHARED = Counted(3)


@case(inputs=BOTH)
def own_missing_of_a_known_dict(x):
    """__missing__ of a dict that was made before the call."""
    return (x if x.sum() > 0 else -x) * SHARED["none"] + SHARED.get("first")


class Output(OrderedDict):
    """Results by name."""

    def __getattr__(self, name):
        return self[name]


@case(inputs=BOTH)
def results_as_attributes(x):
    """An OrderedDict whose keys are read as attributes."""
    result = Output()
    result["a"] = x
    if x.sum() > 0:
        result["b"] = x + 1
    return result.a, "b" in result, len(result)


class Truthless(NamedTuple):
    """A named tuple that is never true."""

    value: int

    def __bool__(self):
        return False


@case(inputs=BOTH)
def own_truth_of_a_named_tuple(x):
    """__bool__ of a named tuple."""
    return x if Truthless(1) else x * 2  # known


class Reversing(list):
    """A list that is walked from its end."""

    def __iter__(self):
        return reversed([self[0], self[1]])


@case(inputs=BOTH, refused="DYCL050")
def own_iteration_is_refused(x):
    """A list with its own __iter__: list(...), sum, unpacking would have to call it."""
    first, _ = Reversing([x, x + 1])
    return first


class Swapping(NamedTuple("Pair", [("a", int), ("b", int)])):
    """A named tuple that is made otherwise."""

    def __new__(cls, a, b):
        return super().__new__(cls, b, a)


@case(inputs=BOTH, refused="DYCL050")
def own_new_is_refused(x):
    """A named tuple with its own __new__."""
    return Swapping(x, x + 1).a


class Window(deque):
    """A deque that doubles."""

    def append(self, item):
        super().append(item * 2)


@case(inputs=BOTH, refused="DYCL050")
def subclasses_of_deque_are_refused(x):
    """A deque of the user's class."""
    window = Window(maxlen=2) if x.sum() > 0 else [x]
    window.append(x)
    return window[0]


@case(inputs=BOTH, refused="DYCL056")
def matching_own_containers_is_refused(x):
    """A pattern asks for len() and items."""
    match Shifted([x, x + 1]):
        case [first, _]:
            return first  # never
        case _:
            return x


class _Tank(NamedTuple):
    level: torch.Tensor

    CAPACITY = 10.0
    STEPS = [1.0, 2.0]

    @property
    def room(self):
        return self.CAPACITY - self.level

    def filled(self):
        return self._replace(level=self.level + self.STEPS[-1])


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def constants_of_a_named_tuple(x):
    """What the class body of a named tuple assigns without a type is an attribute of the class."""
    tank = _Tank(x)
    while (tank.room > tank.STEPS[0]).any():
        tank = tank.filled()
    return tank, tank.level > tank.CAPACITY, len(tank)


class Managing(OrderedDict, contextlib.AbstractContextManager):
    """A dict that a `with` statement fills and closes, of an abstract class."""

    def __enter__(self):
        self["entered"] = 1
        return self

    def __exit__(self, *error):
        self.move_to_end("entered", last=False)


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
def dict_of_an_abstract_class(x):
    """A class of dicts that derives from an abstract one, too, whose methods it has."""
    with Managing(first=x) as managing:
        if x.sum() > 0:
            managing["second"] = x + 1
        managing["third"] = x * 2
    return list(managing), managing["third"]


class Told(tuple):
    """Tells other items than it holds."""

    def __iter__(self):
        return iter((9, 9))

    def __len__(self):
        return 7

    def __getitem__(self, place):
        return 5


class Mute(tuple):
    """Is not to be walked."""

    def __iter__(self):
        raise NotImplementedError  # never

    def __len__(self):
        raise NotImplementedError  # never

    def count_all(self):
        return tuple.__len__(self)


_TOLD, _MUTE = Told((1, 2, 3)), Mute((1, [2], 3))


@case(inputs=BOTH)
def known_ones_that_tell_otherwise(x):
    """What a known tuple's class says of its items counts, but where Python looks at these alone."""
    if x.sum() > 0:
        return x * _TOLD[2], [n for n in _TOLD], len(_TOLD), max(_TOLD), 9 in _TOLD, 1 in _TOLD
    first, second = _TOLD
    return first + second, _MUTE[2], _MUTE.count_all()


@case(inputs=BOTH, refused="DYCL053")
def a_number_among_such(x):
    """A number of run time is not looked for among these."""
    return x * 2 if int((x > 0).any()) in _TOLD else x  # <- refused


class Tally(OrderedDict):
    """Counts under its keys."""

    def add(self, key):
        self[key] = self.get(key, 0) + 1


@case(inputs=BOTH, refused="DYCL051")
def keys_of_run_time(x):
    """A class of dicts gets a key that is known only at run time"""
    tally = Tally()
    for number in x.int().flatten().tolist():
        tally.add(number)
    return dict(tally)
