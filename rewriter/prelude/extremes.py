"""``heapq.nlargest`` and ``nsmallest`` by a key, in Python.

The keys are compared, never the items: where keys are equal, or are no numbers, the earlier item
wins, as in ``heapq``.
"""

import heapq


def nlargest(n, iterable, key):
    """Return the ``n`` items of the largest keys, the largest first."""
    items = list(iterable)
    if not items or n >= len(items):
        return sorted(items, key=key, reverse=True)
    ranked = [(key(item), -place) for place, item in enumerate(items)]
    return [items[-negated] for _, negated in heapq.nlargest(n, ranked)]


def nsmallest(n, iterable, key):
    """Return the ``n`` items of the smallest keys, the smallest first."""
    items = list(iterable)
    if not items or n >= len(items):
        return sorted(items, key=key)
    ranked = [(key(item), place) for place, item in enumerate(items)]
    return [items[place] for _, place in heapq.nsmallest(n, ranked)]
