"""Searching lists, deques and tuples for objects: the items are asked by their own ``__eq__``.

Python takes the very same object for equal before it asks. Tensors that hold one number are equal
to themselves anyhow, but for NaN: which tensor that is the host does not know, and says so.
"""

import operator

import torch


def _may_be_nan(value):
    """Return whether a value is a tensor that has NaN."""
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def is_one(item, wanted):
    """Return whether two values, no tensors, are one object; dicts of the host are asked there."""
    return item is wanted


def is_found(item, wanted):
    """Return whether an item is what is wanted, or equal to it."""
    if not isinstance(item, torch.Tensor) and not isinstance(wanted, torch.Tensor):
        return is_one(item, wanted) or item == wanted
    if item == wanted:
        return True
    if _may_be_nan(item) and _may_be_nan(wanted) and item != item and wanted != wanted:
        raise RuntimeError("a tensor that holds NaN is looked for among others that do")
    return False


def contains(items, wanted, /):
    """``wanted in items``."""
    for item in items:  # noqa: SIM110
        if is_found(item, wanted):
            return True
    return False


def gives(iterable, wanted, /):
    """``wanted in iterable`` of what is asked for its items one by one, as far as needed."""
    for item in iterable:  # noqa: SIM110
        if wanted in (item,):
            return True
    return False


def has_none_of(keys, iterable, /):
    """``keys.isdisjoint(iterable)``: no item is asked for after the first that is among them."""
    return all(item not in keys for item in iterable)


def has_all_of(keys, iterable, /):
    """``keys.issuperset(iterable)`` of what is asked for its items one by one, as far as needed."""
    return all(item in keys for item in iterable)


def count(items, wanted, /):
    """``items.count(wanted)``."""
    number = 0
    for item in items:
        if is_found(item, wanted):
            number += 1
    return number


def find(items, wanted, start, stop, error, /):
    """Return the first place between bounds where something is equal; raise where none is."""
    size = len(items)
    if start < 0:
        start = max(start + size, 0)
    if stop < 0:
        stop = stop + size
    place = start
    while place < min(stop, size):
        if is_found(items[place], wanted):
            return place
        place += 1
    raise error


def bound(value, /):
    """Return the integer that is a bound of ``items.index(wanted, bound)``."""
    if value is None or isinstance(value, float | str):
        raise TypeError("slice indices must be integers or have an __index__ method")
    return operator.index(value)


def remove(items, wanted, error, /):
    """``items.remove(wanted)``."""
    items.pop(find(items, wanted, 0, len(items), error))
