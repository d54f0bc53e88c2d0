"""Special methods of containers and iterators that are called by their names"""

import torch

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]
COUNTS = [(torch.tensor(n),) for n in (0, 1, 3)]


class Held:
    """Hands on what its items say."""

    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return self.items.__iter__()

    def __len__(self):
        return self.items.__len__()

    def __contains__(self, item):
        return self.items.__contains__(item)

    def __getitem__(self, place):
        return self.items.__getitem__(place)


@case(inputs=BOTH)
def handed_on(x):
    """A class whose methods call those of a list, tuple or dict."""
    items, table = [1, x], {"a": x}
    if x.sum() > 0:
        table["b"] = x * 2
    listed, mapped = Held(items), Held(table)
    return list(listed), len(listed), listed[1], [*Held((1, 2))], list(mapped), "a" in mapped, mapped["a"]


@case(inputs=COUNTS)
def handed_on_at_run_time(n):
    """The same where only the run knows how many items there are."""
    items = [5]
    for place in range(int(n)):
        items.append(place)
    held = Held(items)
    return sum(held), len(held), 2 in held, held[-1], [*items.__reversed__()]


@case(inputs=BOTH)
def views_and_ranges(x):
    """Views of dicts, texts, sets and ranges."""
    table = {"a": 1, "b": x}
    if x.sum() > 0:
        table["c"] = 3
    views = table.keys().__iter__(), table.items().__iter__(), table.values().__reversed__()
    bounds = range(table.__len__())
    return [list(view) for view in views], [*"ab".__iter__()], {1, 2}.__len__(), [*bounds.__iter__()]


@case(inputs=COUNTS)
def ranges_of_run_time(n):
    """A range whose end only the run knows."""
    places = range(int(n))
    return [*places.__iter__()], places.__len__()


@case(inputs=BOTH)
def one_by_one(x):
    """``__next__`` of iterators, and ``__iter__``, which gives the iterator itself."""
    items = [x, 2, 3].__iter__()
    first, second = items.__next__(), items.__iter__().__next__()
    made = (value for value in (7, 8))
    pairs = zip([1], "a", strict=True).__next__(), enumerate("a").__next__()
    return first, second, list(items), made.__next__(), made.__iter__() is made, pairs
