"""Arrangements of ``itertools`` in Python: all found when they are asked for."""


def product(*iterables, repeat=1):
    """Give all tuples with one item of each iterable."""
    if repeat < 0:
        raise ValueError("repeat argument cannot be negative")
    rows = [()]
    for items in [tuple(iterable) for iterable in iterables] * repeat:
        rows = [(*row, item) for row in rows for item in items]
    return iter(rows)


def _chosen(items, choices):
    return iter([tuple([items[place] for place in choice]) for choice in choices])


def _check(r):
    if r < 0:
        raise ValueError("r must be non-negative")


def combinations(iterable, r):
    """Give all choices of so many items, in their order."""
    items = tuple(iterable)
    _check(r)
    rows = [()]
    for _ in range(r):
        rows = [
            (*row, place) for row in rows for place in range(row[-1] + 1 if row else 0, len(items))
        ]
    return _chosen(items, rows)


def combinations_with_replacement(iterable, r):
    """Give all choices of so many items, each as often as one likes."""
    items = tuple(iterable)
    _check(r)
    rows = [()]
    for _ in range(r):
        rows = [(*row, place) for row in rows for place in range(row[-1] if row else 0, len(items))]
    return _chosen(items, rows)


def permutations(iterable, r=None):
    """Give all arrangements of so many items."""
    items = tuple(iterable)
    r = len(items) if r is None else r
    _check(r)
    rows = [()]
    for _ in range(r):
        rows = [(*row, place) for row in rows for place in range(len(items)) if place not in row]
    return _chosen(items, rows)
