"""Containers of known structure that change inside a walk: Python's errors, or refused."""

from collections import OrderedDict, deque

from tests.language.harness import case

COUNTS = [(3,), (1,), (0,)]


def _table():
    return {0: 1, 1: 2, 2: 3}


@case(inputs=COUNTS, refused="DYCL073")
def dict_replaced_under_enumerate(n):
    """enumerate() of a dict that keeps its size."""
    table, seen = _table(), []
    for i, key in enumerate(table):  # <- refused
        seen.append((i, key))
        if key == 0 and n > 1:
            del table[1]
            table[9] = 5
    return seen


@case(inputs=COUNTS, refused="DYCL073")
def dict_replaced_under_values(n):
    """values() of a dict that keeps its size."""
    table, seen = _table(), []
    for value in table.values():  # <- refused
        seen.append(value)
        if value == 1 and n > 1:
            del table[1]
            table[9] = 5
    return seen


@case(inputs=COUNTS, refused="DYCL073")
def last_key_taken_out_and_put_back(n):
    """The keys are the same afterwards, but not their places: Python may raise."""
    table, seen = _table(), []
    for key in table:  # <- refused
        seen.append(key)
        if key == 2 and n > 1:
            table[2] = table.pop(2)
    return seen


@case(inputs=COUNTS, refused="DYCL073")
def dict_replaced_between_next(n):
    """An iterator that waits while a key is replaced."""
    table = _table()
    keys = iter(table)
    first = next(keys)
    if n > 1:
        del table[1]
        table[7] = n
    return first, next(keys)  # <- refused


@case(inputs=COUNTS)
def dict_grows_under_reversed(n):
    """reversed() of a dict looks at its size, too."""
    table, seen = _table(), []
    for key in reversed(table):
        seen.append(key)
        if n > 1:
            table[key + 10] = 5
    return seen


@case(inputs=COUNTS)
def dict_grows_under_zip(n):
    """The first column that is asked raises."""
    table, seen = _table(), []
    for key, value in zip(table, table.values(), strict=True):
        seen.append((key, value))
        if n > 1:
            table[9] = 5
    return seen


@case(inputs=COUNTS)
def error_of_a_walk_is_caught(n):
    """The error is one of the program's, which may catch it."""
    table = _table()
    try:
        for key in table:
            if n > 1:
                table[key + 9] = 1
    except RuntimeError as error:
        return str(error)
    return "done"


@case(inputs=COUNTS)
def set_grows_under_enumerate(n):
    """A set of known elements that grows."""
    numbers, seen = {0, 1, 2}, []
    for i, number in enumerate(numbers):
        seen.append((i, number))
        if n > 1:
            numbers.add(50)
    return seen


@case(inputs=COUNTS)
def set_loses_elements_by_an_operator(n):
    """-= of a set changes its size inside of the walk."""
    numbers, seen = {0, 1, 2}, []
    for number in numbers:
        seen.append(number)
        if n > 1:
            numbers -= {number}
    return seen


@case(inputs=COUNTS, refused="DYCL073")
def set_keeps_its_size_by_an_operator(n):
    """^= of a set takes one out and puts one in."""
    numbers, seen = {0, 1, 2}, []
    for number in numbers:  # <- refused
        seen.append(number)
        if n > 1:
            numbers ^= {number, number + 10}
    return seen


@case(inputs=COUNTS)
def deque_rotates_under_enumerate(n):
    """A deque of known length raises however it changes."""
    numbers, seen = deque([1, 2, 3]), []
    for i, number in enumerate(numbers):
        seen.append((i, number))
        if n > 1:
            numbers.append(numbers.popleft())
    return seen


@case(inputs=COUNTS)
def deque_loses_an_item_by_del(n):
    """del is such a change."""
    numbers, seen = deque([1, 2, 3]), []
    for number in numbers:
        seen.append(number)
        if n > 1:
            del numbers[0]
    return seen


@case(inputs=COUNTS)
def deque_items_are_replaced(n):
    """Writing an item of a deque, and turning it round, is no such change."""
    numbers, seen = deque([1, 2, 3]), []
    for i, number in enumerate(numbers):
        seen.append(number)
        numbers[2] = n + i
        numbers.reverse()
    return seen


@case(inputs=COUNTS)
def deque_grows_under_reversed(n):
    """reversed() of a deque counts the changes, too."""
    numbers, seen = deque([1, 2, 3]), []
    for number in reversed(numbers):
        seen.append(number)
        if n > 1:
            numbers.appendleft(n)
    return seen


@case(inputs=COUNTS)
def ordered_dict_grows_at_its_last_key(n):
    """An OrderedDict chose the end already when it gave its last key."""
    table, seen = OrderedDict([(1, n), (2, n)]), []
    for key in table:
        seen.append(key)
        if key == 2:
            table[9] = n
    return seen, table


@case(inputs=COUNTS)
def ordered_dict_key_put_back(n):
    """An OrderedDict raises even if its keys are the same again."""
    table, seen = OrderedDict([(1, n), (2, n), (3, n)]), []
    for item in table.items():
        seen.append(item)
        if n > 1:
            table[2] = table.pop(2)
    return seen, table


@case(inputs=COUNTS)
def list_iterator_stays_at_its_end(n):
    """An iterator that has ended gives nothing more, even if the list grows."""
    numbers = [1, 2, n]
    walk = iter(numbers)
    total = 0
    for number in walk:
        total += number
    numbers.append(50)
    return total, next(walk, -1)
