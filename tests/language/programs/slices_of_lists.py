"""Assignment to slices of lists: from every kind of iterable, with bounds of run time, and ``del``."""

from collections import deque

from torch.export import Dim

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case, noise

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]
LENGTHS = [(noise(4, 3),), (noise(7, 3),), (noise(1, 3),), (noise(2, 3),)]


@case(inputs=ROWS)
def from_a_tensor(x):
    """The rows of a tensor, what a generator gives, pairs of zip, a view of a dict."""
    items = [x[0], x[1], x[0]]
    items[1:] = x
    items[:1] = (row * 2 for row in x)
    items[::2] = (row + 1 for row in x) if x.sum() > 0 else reversed(x.unbind())
    items[:0] = {1: x, 2: x}.values()
    return items


@case(inputs=LENGTHS, dynamic_shapes={"x": {0: Dim("seq", max=64)}})
def as_long_as_the_input(x):
    """Lists as long as a dimension that is known at run time only."""
    items = list(x)
    longer = [x[0] * 0] * (len(items) + 1)
    longer[:-1] = x
    longer[1:2] = []
    del longer[::2]
    return longer


@case(inputs=ROWS)
def run_time_bounds(x):
    """Bounds that depend on the input, of lists of numbers and of tensors."""
    number = int((x > 0).sum())
    items = x.flatten().tolist()
    items[number:] = items[:2]
    items[:number:2] = [0.0] * len(items[:number:2])
    tensors = [x, x + 1, x + 2]
    tensors[:number] = [x * 2]
    del tensors[number:], items[-number:]
    return items, tensors


@case(inputs=ROWS)
def wrong_lengths(x):
    """A stepped slice takes as many items as it has places."""
    items = [1, 2, 3, 4]
    told = []
    for given in ([5], [5, 6], (value for value in (7, 8, 9))):
        try:
            items[::2] = given
        except ValueError as error:
            told.append(str(error))
    return items, told, x + 1 if x.sum() > 0 else x


@case(inputs=ROWS)
def from_itself(x):
    """A list, and walks over it, are put into slices of it."""
    items = [x, x + 1]
    items[1:1] = items
    items[:1] = (item * 2 for item in items)
    other = items
    items[len(items) :] = iter(other)
    if x.sum() > 0:
        other[:] = reversed(items)
    return other, items is other


@case(inputs=ROWS)
def a_generator_that_changes_the_list(x):
    """All items are taken before the slice is looked at."""
    items = [x, x + 1, x + 2, x + 3]

    def taken():
        while len(items) > 2:
            yield items.pop() * 2
        if x.sum() > 0:
            yield x

    items[1:] = taken()
    return items


@case(inputs=ROWS)
def a_generator_that_raises(x):
    """Where taking the items raises, the list is as it was."""
    items = [1, 2, 3]

    def taken():
        yield 4
        if x.sum() > 0:
            raise ValueError("no more")
        yield 5

    try:
        items[:2] = taken()
    except ValueError as error:
        items.append(str(error))
    return items


@case(inputs=ROWS)
def in_a_loop(x):
    """A slice is assigned in each turn of a loop that ends at run time."""
    items = [1.0, 2.0]
    while sum(items) < x.sum().item():
        longer = [1.0] * (len(items) + 1)
        longer[:-1] = items
        items = longer
    return items


@case(inputs=ROWS, refused="DYCL056")
def from_a_number(x):
    """Only iterables are assigned to slices."""
    items = [x, x]
    items[1:] = 5  # <- refused
    return items  # never


HUGE = 1 << 100


def _huge(items, number):
    yield lambda: items.pop(number)
    yield lambda: items.insert(number, 0.0)
    yield lambda: items[number]
    yield lambda: items * number
    yield lambda: deque(items).rotate(number)
    yield lambda: len(range(number))
    yield lambda: items[:number]


@case(inputs=ROWS)
def numbers_beyond_63_bits(x):
    """Places and counts that no list can have raise; ends of slices do not."""
    items, found = [x[0], x[1]] if x.sum() > 0 else [x[0]], []
    for act in _huge(items, HUGE):
        try:
            found.append(act())
        except (IndexError, OverflowError) as error:
            found.append((type(error).__name__, str(error)))
    return found, items * -2
