"""Arguments of the user's own classes of lists and dicts, and others that are fixed."""

from collections import OrderedDict
from dataclasses import dataclass, fields

import torch

from tests.language.harness import NEGATIVE, POSITIVE, case


class Output(OrderedDict):
    """Fields that are something are items, too."""

    def __post_init__(self):
        for each in fields(self):
            value = getattr(self, each.name)
            if value is not None:
                self[each.name] = value

    def __getitem__(self, key):
        return dict(self.items())[key] if isinstance(key, str) else self.to_tuple()[key]

    def to_tuple(self):
        """Give the items alone."""
        return tuple(self[key] for key in self.keys())  # noqa: SIM118


@dataclass
class Encoded(Output):
    """What an encoder gives."""

    last: torch.Tensor = None
    mask: torch.Tensor = None


class Named(dict):
    """A dict with a method."""

    def total(self):
        """Add all of its tensors."""
        return sum(self.values())


class Rows(list):
    """A list with a method."""

    def last(self):
        """Give the last item."""
        return self[-1]


class Scaled(dict):
    """Shows something else than it holds."""

    def __getitem__(self, key):
        return super().__getitem__(key) * 2


class Counted(dict):
    """Has more than its items."""

    def __init__(self, *items, **named):
        super().__init__(*items, **named)  # at import
        self.count = len(self)  # at import


BOTH = (POSITIVE, NEGATIVE)


@case(inputs=[(Encoded(last=x), x) for x in BOTH])
def fields_and_items(encoded, x):
    """A dataclass that is an OrderedDict: by attribute, key and place; fields that are None"""
    if encoded.mask is not None:  # known
        x = x * encoded.mask  # never
    if x.sum() > 0:
        x = x + encoded["last"]
    return encoded[0] + x, len(encoded), list(encoded), "mask" in encoded, isinstance(encoded, dict)


@case(inputs=[(Encoded(last=x, mask=x > 1), x) for x in BOTH])
def given_back(encoded, x):
    """It is given back, and another of its class is made of it"""
    masked = Encoded(last=torch.where(encoded.mask, encoded.last, x))
    return encoded if x.sum() > 0 else masked


@case(inputs=[(Named(a=x, b=x + 1), Rows([x, x * 2])) for x in BOTH])
def own_methods(named, rows):
    """Methods of classes of lists and dicts, and those of lists and dicts"""
    total = named.total() + rows.last()
    for row in rows:
        total = total * row if row.sum() > 0 else total
    return total, [*named], len(rows + [1]), type(rows).__name__


@case(inputs=[({"part": [Named(a=x)]}, x) for x in BOTH])
def inside_of_others(batch, x):
    """A dict of the user's class in a list in a dict"""
    return batch["part"][0]["a"] + x


@case(inputs=[(Named(a=POSITIVE), POSITIVE)], refused="DYCL034")
def written(named, x):
    """A dict of the user's class that is an argument gets an item"""
    named["b"] = x  # <- refused
    return named["a"] + x


@case(inputs=[(Scaled(a=POSITIVE), POSITIVE)], refused="DYCL072")
def shown_otherwise(scaled, x):
    """Items that the class shows otherwise than it holds them"""
    return scaled["a"] + x


@case(inputs=[(Counted(a=POSITIVE), POSITIVE)], refused="DYCL072")
def more_than_items(counted, x):
    """A dict that has an attribute besides its items"""
    return counted["a"] + x * counted.count


@case(inputs=[(range(1, 7, 2), x) for x in BOTH])
def fixed_range(places, x):
    """A range is fixed: its numbers are known"""
    for place in places:
        x = x * place if x.sum() > 0 else x + place
    return x, len(places), places[-1], places.step
