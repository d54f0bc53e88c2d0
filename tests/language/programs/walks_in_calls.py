"""A function, or what a generator waits for, changes the container that its caller walks over."""

from collections import deque

from tests.language.harness import case

COUNTS = [(3,), (1,), (0,)]


def _replaces(table, n):
    if n <= 0:
        return 0
    if n == 1:
        table[1] = table.pop(1)
    return 1 + _replaces(table, n - 1)


def _takes_out(table, n):
    if n <= 0:
        return 0
    if n == 1 and 1 in table:  # known
        del table[1]
    return 1 + _takes_out(table, n - 1)


def _adds(numbers, n):
    if n <= 0:
        return 0
    if n == 1:
        numbers.add(99)
    return 1 + _adds(numbers, n - 1)


def _turns(queue, n):
    if n <= 0:
        return 0
    if n == 1:
        queue.append(queue.popleft())
    return 1 + _turns(queue, n - 1)


def _grows(numbers, n):
    if n <= 0:
        return 0
    if n == 1 and len(numbers) < 6:
        numbers.append(7)
    return 1 + _grows(numbers, n - 1)


def _looks(table, n):
    return 0 if n <= 0 else table[1] + _looks(table, n - 1)


@case(inputs=COUNTS, refused="DYCL073")
def recursion_replaces_a_key(n):
    """A function of its own takes a key out and puts it back."""
    table, seen = {0: 1, 1: 2, 2: 3}, []
    for key in table:  # <- refused
        seen.append(key)
        _replaces(table, n)
    return seen


@case(inputs=COUNTS)
def recursion_takes_a_key_out(n):
    """The size differs after the call."""
    table, seen = {0: 1, 1: 2, 2: 3}, []
    for key in table:
        seen.append(key)
        _takes_out(table, n)
    return seen, table


@case(inputs=COUNTS)
def recursion_looks_at_the_dict(n):
    """A function that changes nothing."""
    table, seen = {0: 1, 1: 2, 2: 3}, []
    for key, value in table.items():
        seen.append((key, value, _looks(table, n)))
    return seen


@case(inputs=COUNTS)
def recursion_adds_to_a_set(n):
    """A set that grows in a function."""
    numbers, seen = {1, 2, 3}, []
    for number in numbers:
        seen.append(number)
        _adds(numbers, n)
    return seen


@case(inputs=COUNTS)
def recursion_turns_a_deque(n):
    """A deque that is as long as before."""
    queue, seen = deque([1, 2, 3]), []
    for number in queue:
        seen.append(number)
        _turns(queue, n)
    return seen


@case(inputs=COUNTS)
def recursion_lets_a_list_grow(n):
    """A walk over a list goes on over what was added."""
    numbers, seen = [1, 2, 3], []
    for number in numbers:
        seen.append(number)
        _grows(numbers, n)
    return seen


@case(inputs=COUNTS)
def generator_waits_over_a_list(n):
    """What is appended while the generator waits is given, too."""
    numbers = [1, 2]

    def walk():
        yield from numbers

    given = walk()
    seen = [next(given)]
    numbers.append(n)
    seen.extend(given)
    numbers.append(9)
    return seen, next(given, -1)


@case(inputs=COUNTS)
def generator_waits_over_a_dict(n):
    """A dict that grows meanwhile."""
    table = {1: n, 2: 3}

    def walk():
        for key in table:
            yield key

    given = walk()
    seen = [next(given)]
    if n > 1:
        table[7] = n
    for key in given:
        seen.append(key)
    return seen


@case(inputs=COUNTS)
def generator_waits_over_a_set(n):
    """A set that grows meanwhile."""
    numbers = {1, 2}

    def walk():
        for number in numbers:
            yield number

    given = walk()
    seen = [next(given)]
    if n > 1:
        numbers.add(3)
    for number in given:
        seen.append(number)
    return seen
