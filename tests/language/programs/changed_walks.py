"""Dicts, sets and deques that change inside a walk over them: Python's errors, or refused."""

from collections import OrderedDict, deque

from tests.language.harness import case

COUNTS = [(4,), (1,), (0,)]


def _table(n):
    table = {}
    for i in range(n):
        table[i] = i * 2
    return table


@case(inputs=COUNTS)
def values_written_in_a_walk(n):
    """Writing the value of a key that is there changes no keys."""
    table = _table(n)
    for key in table:
        table[key] = table[key] + 1
    return table


@case(inputs=COUNTS)
def key_taken_out_before_the_end(n):
    """A walk that ends after a key was taken out."""
    table = _table(n)
    for key in table:
        if key == 2:
            del table[key]
            break
    table[9] = 1
    return table


@case(inputs=COUNTS)
def walk_over_a_copy_of_the_keys(n):
    """list(...) of the keys may be walked whatever becomes of the dict."""
    table = _table(n)
    for key in list(table):
        if key > 1:
            table[key + 10] = table.pop(key)
    return table


@case(inputs=COUNTS)
def ordered_dict_grows_in_a_walk(n):
    """An OrderedDict that grows in a walk raises, in its own words."""
    table = OrderedDict()
    for i in range(n):
        table[i] = i
    for key in table:
        table[key + 100] = key
    return len(table)


@case(inputs=COUNTS, refused="DYCL073")
def key_replaced_in_a_walk(n):
    """A key taken out and another put in: the dict keeps its size."""
    table = _table(n)
    seen = []
    for key in table:
        seen.append(key)
        if key == 0:
            del table[0]
            table[9] = 5
    return seen


@case(inputs=COUNTS, refused="DYCL073")
def element_replaced_in_a_walk(n):
    """A set that keeps its size."""
    numbers = set()
    for i in range(n):
        numbers.add(i)
    total = 0
    for number in numbers:
        total += number
        if number == 0:
            numbers.remove(0)
            numbers.add(100)
    return total


@case(inputs=COUNTS)
def deque_rotates_in_a_walk(n):
    """Python raises as soon as a deque is changed in a walk."""
    numbers = deque()
    for i in range(n):
        numbers.append(i)
    total = 0
    for number in numbers:
        total += number
        if number < 3:  # known
            numbers.append(numbers.popleft())
    return total


@case(inputs=COUNTS, refused="DYCL073")
def known_key_replaced_in_a_walk(n):
    """A dict of known keys that keeps its size."""
    table = {0: n, 1: n, 2: n}
    seen = []
    for key in table:
        seen.append(key)
        if key == 0 and n > 1:
            del table[1]
            table[9] = 5
    return seen


@case(inputs=COUNTS)
def known_deque_grows_in_a_walk(n):
    """A deque of known length that grows raises."""
    numbers = deque([1, 2, 3])
    total = 0
    for number in numbers:
        total += number
        if n > 1:
            numbers.append(n)
    return total
