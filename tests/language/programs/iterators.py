"""Iterators give an item when it is asked for, and share what they have still to give."""

import itertools

import torch

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH)
def zip_of_one_iterator_with_itself(x):
    """zip(it, it) takes two items from one iterator for each pair."""
    it = iter([x, x + 1, x + 2, x + 3])
    pairs = [a - b for a, b in zip(it, it)]
    return pairs, list(zip(*[iter([1, 2, 3, 4])] * 2))


@case(inputs=BOTH)
def next_inside_for(x):
    """The body of a for may take items from the iterator that it walks over."""
    it = iter([1, 2, 3, 4, 5])
    pairs = []
    for first in it:
        pairs.append((first, next(it, None)))
    return pairs


@case(inputs=BOTH)
def rest_after_break(x):
    """A for that ends by break leaves the rest of its iterator."""
    it = enumerate([x, x + 1, x - 1])
    for index, tensor in it:
        if tensor.sum() > 0 or index == 1:
            break
    return [i for i, _ in it], index


@case(inputs=BOTH)
def zip_drops_one_item(x):
    """zip that ends with a later iterator has taken one more item of the earlier ones."""
    longer, shorter = iter([1, 2, 3]), iter([1])
    first = list(zip(longer, shorter))
    one, two = iter([1]), iter([1, 2])
    second = list(zip(one, two))
    return first, list(longer), second, list(two)


@case(inputs=BOTH)
def zip_strict(x):
    """zip(strict=True) raises in Python's words where lengths differ."""
    found = []
    for a, b in [([1], [2, 3]), ([1, 2], [3]), ([1], [2])]:
        try:
            found.append(list(zip(a, b, strict=True)))
        except ValueError as error:
            found.append(str(error))
    return found


@case(inputs=BOTH)
def map_calls_when_asked(x):
    """map calls its function for an item when the item is taken."""
    log = []

    def note(number):
        log.append(number)
        return x * number

    mapped = map(note, [1, 2, 3])
    first = next(mapped)
    before = list(log)
    return first, before, list(mapped), log


@case(inputs=BOTH)
def map_and_filter_with_dynamic_tests(x):
    """map and filter over tensors with tests known only at run time."""
    moved = list(map(lambda t: t + 1 if t.sum() > 0 else t - 1, [x, -x]))
    kept = list(filter(lambda t: t.sum() > 0, [x, -x, x * 2]))
    both = list(map(lambda a, b: a + b, [1, 2, 3], (10, 20)))
    return moved, kept, both, list(filter(None, [0, 1, "", "a"])), sum(map(torch.sum, [x, x]))


@case(inputs=BOTH)
def any_leaves_the_rest(x):
    """any() takes items until one is true."""
    numbers = (i for i in range(5))
    found = any(i == 2 for i in numbers)
    return found, list(numbers)


@case(inputs=BOTH)
def list_is_read_as_it_is_then(x):
    """enumerate, zip and reversed look at a list when they take an item."""
    grows, seen = [1, 2], []
    for index, value in enumerate(grows):
        if index < 3:
            grows.append(value * 10)
        seen.append(value)
    numbers = [1, 2, 3]
    backwards = reversed(numbers)
    numbers[0] = 9
    return seen, list(backwards)


@case(inputs=BOTH)
def generator_of_nested_loops(x):
    """A generator expression evaluates one element at a time, also from an inner for."""
    log = []

    def note(number):
        log.append(number)
        return number

    made = (note(a * 10 + b) for a in [1, 2] for b in range(2) if a + b != 2)
    first = next(made)
    return first, len(log), list(made), log


@case(inputs=BOTH)
def generator_with_dynamic_filter(x):
    """The first element that passes a run-time test, and how many follow."""
    positive = (t for t in [x, -x, x * 2] if t.sum() > 0)
    return next(positive), len(list(positive))


@case(inputs=BOTH)
def dict_views_are_live(x):
    """keys(), values() and items() show what the dict holds now."""
    table = {"a": x, "b": x + 1}
    keys, values = table.keys(), table.values()
    if x.sum() > 0:
        table["c"] = x * 2
    shown = len(keys), list(keys), "c" in keys, max(keys), bool(values)
    return shown, list(table.values()), set(keys) == {"a", "b"}


@case(inputs=BOTH)
def dict_changed_while_walked(x):
    """Values may be replaced in a loop over a dict; a new key is an error."""
    table = {"a": 1, "b": 2}
    seen = []
    for key, value in table.items():
        table["b"] = 10
        seen.append((key, value))
    try:
        for key in table:
            if x.sum() > 0:
                table[key + "'"] = 3
    except RuntimeError as error:
        return seen, str(error)
    return seen, table


@case(inputs=BOTH)
def tensor_turned_round(x):
    """reversed(tensor) is a tensor, iter(tensor) gives its rows."""
    rows = iter(x)
    return reversed(x).shape, [row.sum() for row in reversed(x)], next(rows), next(rows)


@case(inputs=[(torch.ones(2), True), (torch.ones(2), False)])
def counted_from_a_truth(x, first):
    """enumerate() and itertools.count() by ones begin with a number, by other steps with a truth"""
    known = list(enumerate("ab", True)), next(itertools.count(False)), next(itertools.count(True, 2))
    asked = list(enumerate("ab", first)), next(itertools.count(first)), next(itertools.count(first, 2))
    return x, known, asked
