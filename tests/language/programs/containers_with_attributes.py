"""The user's lists and dicts with attributes: dataclasses of an OrderedDict, __setattr__."""

import copy
from collections import OrderedDict
from dataclasses import dataclass, fields
from types import SimpleNamespace
from typing import Any

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@dataclass
class Fields(OrderedDict):
    """Results that a dataclass declares: keys are those fields that are not None."""

    first: Any = None
    second: Any = None
    third: Any = None

    def __post_init__(self):
        for item in fields(self):
            value = getattr(self, item.name)
            if value is not None:
                self[item.name] = value

    def __getitem__(self, key):
        if isinstance(key, str):
            return dict(self.items())[key]
        return self.to_tuple()[key]

    def __setattr__(self, name, value):
        if name in self.keys() and value is not None:  # known
            super().__setitem__(name, value)
        super().__setattr__(name, value)

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        super().__setattr__(key, value)

    def __delitem__(self, key):
        raise RuntimeError(f"{key} stays")

    def update(self, *args, **kwargs):
        raise RuntimeError("no update")

    def to_tuple(self):
        return tuple(self[key] for key in self.keys())


@case(inputs=BOTH)
def dataclass_of_an_ordered_dict(x):
    """A dataclass that is an OrderedDict: fields are attributes and keys, read by index, too."""
    result = Fields(x, third=[x + 1])
    if x.sum() > 0:
        result.second = x * 2
        result["third"] = x * 3
    else:
        result.first = x - 1
    return result, result[0], result[:2], result.second is None, result.first, list(result)


@case(inputs=BOTH)
def dataclass_of_a_dict_joins(x):
    """An instance that paths have filled in different ways, and read after they meet."""
    result = Fields(first=x) if x.sum() > 0 else Fields(first=x, second=x + 1)
    result.third = 3
    return {"result": result, "size": len(result), "parts": result.to_tuple()}


@case(inputs=BOTH)
def methods_that_raise(x):
    """__delitem__ and update() of the user's raise."""
    result = Fields(first=x)
    try:
        del result["first"]
    except RuntimeError as error:
        text = str(error)
    if x.sum() > 0:
        result.update(first=x + 1)
    return text, result


@case(inputs=BOTH)
def dataclass_of_a_dict_in_a_loop(x):
    """Instances made in a loop that tests what it made before."""
    last = Fields(first=x)
    while last.first.sum() > 0:
        last = Fields(first=last[0] - 1, second=last["first"])
    return last.first


@dataclass
class Named(OrderedDict):
    """Results that a dataclass declares."""

    a: object = None

    def __post_init__(self):
        self["a"] = self.a


@case(inputs=BOTH)
def fields_that_are_no_keys(x):
    """What is written to an attribute does not change the key, and the other way round."""
    result = Named(a=x)
    result.a = x + 1
    if x.sum() > 0:
        result["b"] = x * 2
    return result, result["a"], result.a, hasattr(result, "b"), result.__dict__["a"]


class Scaled(dict):
    """A dict with attributes."""

    size = 1

    def __init__(self, x):
        super().__init__([("x", x)])
        self.scale = 3

    @property
    def product(self):
        return self["x"] * self.scale


@case(inputs=BOTH)
def attributes_of_a_dict(x):
    """Attributes besides the keys: set, read, deleted, those of the class, properties."""
    table = Scaled(x)
    if x.sum() > 0:
        table.scale = x.max().item()
        table.size += 1
    product = table.product
    if x.sum() < 0:
        del table.scale
    return product, table.size, hasattr(table, "scale"), table


class Path(list):
    """A list with a score."""

    def __init__(self, items, score):
        super().__init__(items)
        self.score = score

    def extended(self, item, score):
        return Path([*self, item], self.score + score)


@case(inputs=BOTH)
def attributes_of_a_list(x):
    """Lists with attributes, changed in place, kept in another list, returned."""
    path = Path([x], 0.0)
    paths = [path, path.extended(x + 1, 0.5)]
    if x.sum() > 0:
        paths.append(paths[-1].extended(x - 1, x.max().item()))
        path.score = -1.0
        path += [x * 2]
        path[0] = x * 3
    return paths, paths[-1].score, len(paths[0])


@case(inputs=BOTH)
def attributes_seen_through_an_alias(x):
    """Two names of one dict with attributes, and a tensor that is written in place."""
    table = Scaled(x + 1)
    other = table
    other.last = other["x"]
    if x.sum() > 0:
        table["x"].mul_(2)
    other.scale += 1
    return table.last, table.scale, table["x"], table.last is table["x"]


class Logged(list):
    """A list that copies otherwise than by its items."""

    def append(self, item):
        super().append(item * 2)


@case(inputs=BOTH, refused="DYCL059")
def copies_that_call_append_are_refused(x):
    """copy.copy() fills the new list by its own append()."""
    return copy.copy(Logged([x]))[0]  # <- refused


@case(inputs=BOTH)
def copies_with_attributes(x):
    """copy.copy() and copy.deepcopy() of a dict with attributes."""
    table = Tagged(x=x)
    table.tag = [x + 1]
    one, other = copy.copy(table), copy.deepcopy(table)
    one.tag.append(x)
    if x.sum() > 0:
        one["x"] = x * 2
    return table, one, other


class Tagged(dict):
    """A dict with nothing of its own but its name."""


class Careful(OrderedDict):
    """Results whose items are checked."""

    def __setitem__(self, key, value):
        super().__setitem__(key, value + 1)


@case(inputs=BOTH)
def own_items_of_an_ordered_dict(x):
    """__setitem__ of an OrderedDict."""
    result = Careful()
    result["a"] = x
    if x.sum() > 0:
        result["a"] = x * 2
    return result["a"], result.get("a")


@case(inputs=BOTH, refused="DYCL050")
def update_that_calls_own_items_is_refused(x):
    """update() of an OrderedDict calls __setitem__, that of a dict does not."""
    result = Careful()
    result.update(a=x)  # <- refused
    return result["a"]


def _names(**given):
    return list(given), given


@case(inputs=BOTH)
def own_items_spread(x):
    """dict(...), update(...) and ** of an OrderedDict call its own __getitem__."""
    fields, table = Fields(first=x), {}
    if x.sum() > 0:
        fields.second = x + 1
    table.update(fields)
    return dict(fields), {**fields, "third": 3}, _names(**fields), OrderedDict(fields), table


@case(inputs=BOTH, refused="DYCL050")
def merging_own_items_is_refused(x):
    """|= of an OrderedDict calls its own __getitem__."""
    table = {}
    table |= Fields(first=x)  # <- refused
    return table


@case(inputs=BOTH, refused="DYCL038")
def comparing_a_dataclass_of_a_dict_is_refused(x):
    """== of a dataclass compares fields, where the other object is one, too."""
    return Fields(first=x) == {"first": x}  # <- refused


@case(inputs=BOTH)
def representing_a_dataclass_of_a_dict(x):
    """repr of a dataclass shows its fields."""
    return f"{Named(a=3 if x.sum() > 0 else 4)}"


@dataclass
class Strict:
    """A dataclass that looks at what it is given."""

    value: Any
    count: int = 0

    def __setattr__(self, name, value):
        if name == "value":
            value = value * 2
        super().__setattr__(name, value)


@case(inputs=BOTH)
def own_setattr_of_a_dataclass(x):
    """The __init__ that dataclass writes sets fields by the class's own __setattr__."""
    made = Strict(x)
    if x.sum() > 0:
        made.value = x + 1
        made.count = 2
    return made.value, made.count, made


class Checking:
    """A class that looks at what is set."""

    limit = 2

    def __init__(self, x):
        self.x = x
        self.limit = 5

    def __setattr__(self, name, value):
        if name == "limit" and value > 3:  # known
            raise ValueError(name)
        object.__setattr__(self, name, value)


@case(inputs=BOTH)
def own_setattr_of_a_class(x):
    """__setattr__ of a plain class, in __init__ and from outside; it may raise."""
    try:
        made = Checking(x)
    except ValueError as error:
        made = SimpleNamespace(x=x - 1, limit=str(error))
    if x.sum() > 0:
        made.x = x + 1
    return made.x, made.limit
