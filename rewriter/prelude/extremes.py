"""``heapq.nlargest`` and ``nsmallest`` by a key, in Python.

The keys are compared, never the items: where keys are equal, or are no numbers, the earlier item
wins, as in ``heapq``.
"""

import heapq


def nlargest(n, iterable, key):
    """Return the ``n`` items of the largest keys, the largest first."""
    items, keys = [], []
    for item in iterable:
        keys.append(key(item))
        items.append(item)
    if not items or n >= len(items):
        order = sorted(range(len(items)), key=lambda place: keys[place], reverse=True)
        return [items[place] for place in order]
    ranked = [(found, -place) for place, found in enumerate(keys)]
    return [items[-negated] for _, negated in heapq.nlargest(n, ranked)]


def nsmallest(n, iterable, key):
    """Return the ``n`` items of the smallest keys, the smallest first."""
    items, keys = [], []
    for item in iterable:
        keys.append(key(item))
        items.append(item)
    if not items or n >= len(items):
        return [items[place] for place in sorted(range(len(items)), key=lambda place: keys[place])]
    ranked = [(found, place) for place, found in enumerate(keys)]
    return [items[place] for _, place in heapq.nsmallest(n, ranked)]
