"""Walks over what exists, or comes to exist, at run time only while it changes."""

from collections import deque

from tests.language.harness import case

COUNTS = [(3,), (1,), (0,), (5,)]


def _numbers(n):
    numbers = []
    for i in range(n):
        numbers.append(i)
    return numbers


def _table(n):
    table = {}
    for i in range(n):
        table[i] = i * 2
    return table


def _queue(n):
    queue = deque()
    for i in range(n):
        queue.append(i)
    return queue


@case(inputs=COUNTS)
def list_written_by_a_number_in_its_walk(n):
    """The list becomes one of the host's in the first turn: later turns see what was written."""
    numbers, seen = [0, 1, 2, 3, 4, 5], []
    for number in numbers:
        seen.append(number)
        numbers[n] = number + 10
    return seen, numbers


@case(inputs=COUNTS)
def list_written_under_enumerate(n):
    """The same while enumerate() walks it."""
    numbers, seen = [0, 1, 2, 3, 4, 5], []
    for i, number in enumerate(numbers):
        seen.append((i, number))
        numbers[n] = number + 10
    return seen, numbers


@case(inputs=COUNTS)
def list_written_between_next(n):
    """The same between two calls of next()."""
    numbers = [0, 1, 2, 3, 4, 5]
    walk = iter(numbers)
    first = next(walk)
    numbers[n] = 77
    return first, next(walk), next(walk), next(walk, -1)


@case(inputs=COUNTS)
def list_grows_after_it_was_written(n):
    """It also grows inside of the walk."""
    numbers, seen = [0, 1, 2], []
    for number in numbers:
        seen.append(number)
        if len(numbers) < 6:
            numbers[n % 2] = number + 10
            numbers.append(n)
    return seen, numbers


@case(inputs=COUNTS)
def dict_gets_a_run_time_key_in_its_walk(n):
    """Whether the dict grows is known only at run time."""
    table, seen = {0: 1, 1: 2, 3: 4}, []
    for key in table:
        seen.append(key)
        table[n] = key
    return seen, table


@case(inputs=COUNTS)
def dict_value_written_under_items(n):
    """What items() gives later is what was written."""
    table, seen = {0: 1, 1: 2, 3: 4, 5: 6}, []
    for key, value in table.items():
        seen.append((key, value))
        if n in table:  # known
            table[n] = value + 10
    return seen, table


@case(inputs=[(3,), (7,)])
def dict_value_written_under_zip(n):
    """Two iterators over one dict."""
    table, seen = {0: 1, 1: 2, 3: 4, 5: 6}, []
    for key, value in zip(table, table.values(), strict=True):
        seen.append((key, value))
        if n in table:
            table[n] = value + 10
    return seen, table


@case(inputs=COUNTS)
def deque_written_by_a_number_in_its_walk(n):
    """Writing an item is no change that ends the walk; appending is."""
    numbers, seen = deque([0, 1, 2, 3, 4, 5]), []
    for number in numbers:
        seen.append(number)
        numbers[n] = 7
        if n > 3:
            numbers.append(number)
    return seen


@case(inputs=COUNTS)
def queue_loses_an_item_by_del(n):
    """del, and += inside of the walk of a deque of the host."""
    queue, seen = _queue(n), []
    for number in queue:
        seen.append(number)
        if number == 4:
            queue += [5]
        elif number == 0 and n == 3:
            del queue[0]
    return seen


@case(inputs=COUNTS)
def queue_grows_under_reversed(n):
    """The same from its end."""
    queue, seen = _queue(n), []
    for number in reversed(queue):
        seen.append(number)
        if number == 2:
            queue.append(3)
    return seen


@case(inputs=COUNTS)
def dict_grows_under_reversed(n):
    """reversed() of a dict of the host."""
    table, seen = _table(n), []
    for key in reversed(table):
        seen.append(key)
        if key == 1:
            table[100] = 0
    return seen, table


@case(inputs=COUNTS)
def dict_grows_through_another_name(n):
    """The container that holds the dict leads to it, too."""
    tables, seen = [], []
    for i in range(n + 1):
        tables.append(_table(i + 1))
    for key in tables[0]:
        seen.append(key)
        if n > 1:
            tables[0][key + 50] = 1
    return seen


@case(inputs=COUNTS)
def list_iterator_stays_at_its_end(n):
    """An iterator over a list of the host that has ended gives nothing more."""
    numbers = _numbers(n)
    walk, pairs = iter(numbers), enumerate(numbers)
    total = 0
    for number in walk:
        total += number
    for i, number in pairs:
        total += i * number
    numbers.append(50)
    for i, number in pairs:
        total += i * number  # never
    return total, next(walk, -1)


@case(inputs=COUNTS)
def error_of_a_walk_may_be_caught(n):
    """Whether Python raises is known only at run time."""
    table = _table(n)
    try:
        for key in table:
            if n > 1:
                table[key + 9] = 1
    except RuntimeError as error:
        return str(error)
    return "done"


@case(inputs=COUNTS, refused="DYCL051")
def order_of_hashes(n):
    """Texts in a set have another order in each process, also where they are put together."""
    words = {"a"}
    for i in range(n):
        words.add("b" * i)
    return ",".join(sorted(words)), [*words, "c"]  # <- refused


@case(inputs=COUNTS, refused="DYCL051")
def set_that_was_larger_becomes_a_run_time_set(n):
    """Its order depends on what it was: not known on the host."""
    numbers, total = {32}, 0
    for i in range(20):
        numbers.add(i)
    for i in range(20):
        numbers.remove(i)
    numbers.add(n)
    for number in numbers:  # <- refused
        total = total * 10 + number
    return total
