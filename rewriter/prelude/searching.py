"""Searching lists, deques and tuples for objects: the items are asked by their own ``__eq__``."""


def contains(items, wanted, /):
    """``wanted in items``."""
    for item in items:  # noqa: SIM110
        if item is wanted or item == wanted:
            return True
    return False


def count(items, wanted, /):
    """``items.count(wanted)``."""
    number = 0
    for item in items:
        if item is wanted or item == wanted:
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
        if items[place] is wanted or items[place] == wanted:
            return place
        place += 1
    raise error


def remove(items, wanted, error, /):
    """``items.remove(wanted)``."""
    items.pop(find(items, wanted, 0, len(items), error))
