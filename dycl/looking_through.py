"""Results that are no containers, but give items: windows on dicts, and iterators."""

import copy
from collections.abc import ItemsView, Iterable, Iterator, KeysView, ValuesView


def is_looked_through(value: object) -> bool:
    """Return whether a value is a window on a dict, or one of Python's own iterators."""
    if isinstance(value, Iterator):
        return type(value).__module__ == "builtins"  # no object of a class of the program
    return isinstance(value, KeysView | ValuesView | ItemsView)


def looked_through(value: object) -> Iterable[object]:
    """Return the items of a window or iterator, which others look through as well."""
    assert isinstance(value, Iterable)
    return copy.deepcopy(value) if isinstance(value, Iterator) else value
