"""Keys and elements that are equal and not the same: 1, 1.0 and True; sequences of two classes."""

from collections import deque
from enum import Enum

from tests.language.harness import MIXED, POSITIVE, case

COUNTS = [(3,), (1,), (0,)]


@case(inputs=COUNTS)
def arms_make_equal_keys(n):
    """Dicts of two arms whose keys are equal and look different."""
    if n > 1:
        table, zero, numbers = {1: n}, {0.0: n}, {1}
    else:
        table, zero, numbers = {True: n}, {-0.0: n}, {True}
    return table, list(table), str(list(zero)), str(numbers)


@case(inputs=COUNTS)
def arms_make_keys_in_another_order(n):
    """The order of the keys is part of a dict."""
    table = {}
    if n > 1:
        table["a"] = 1
        table["b"] = n
    else:
        table["b"] = n
        table["a"] = 1
    return list(table)


@case(inputs=COUNTS)
def a_key_keeps_its_first_form(n):
    """A key that is written again stays what it was."""
    table = {1: "a", 1.0: "b", True: "c"}
    table[n] = "z"
    return table


@case(inputs=COUNTS)
def sequences_of_two_classes(n):
    """A list equals no deque and no tuple."""
    queue = deque([1, n])
    return [1, n] == queue, [n] == (n,), queue == deque([1, n]), [1, n] == list(queue)


@case(inputs=COUNTS)
def sums_of_deques(n):
    """+ and * of deques make deques."""
    queue = deque([1, n])
    longer, twice = queue + deque([3]), queue * 2
    longer.appendleft(0)
    twice.popleft()
    return list(longer), list(twice)


@case(inputs=COUNTS)
def deque_and_list_are_not_added(n):
    """TypeErrors in Python's words; deques have no slices."""
    queue, seen = deque([1, n]), []
    for attempt in range(3):
        try:
            if attempt == 0:
                queue + [3]
            elif attempt == 1:
                [3] + queue
            else:
                queue[0:1]
        except TypeError as error:
            seen.append(str(error))
    return seen


TABLE = {POSITIVE.shape: POSITIVE + 1, ("a", 1): POSITIVE - 1, None: 2.5, True: MIXED}


@case(inputs=[(POSITIVE, TABLE), (MIXED, TABLE)])
def keys_of_an_argument(x, table):
    """A dict that is an argument has sizes, tuples, None and booleans as keys."""
    y = table[x.shape] + table["a", 1]
    if x.sum() > 5:
        y = y * table[None] + table[1]
    return y, len(table), [key for key in table if key is not None]


class Part(Enum):
    """What an item of a batch is for."""

    BODY = 1


@case(inputs=[({Part.BODY: POSITIVE},)], refused="DYCL072")
def members_as_keys_of_an_argument(parts):
    """A member of an enum has no literal that a program could read the item by."""
    return parts[Part.BODY] + 1


@case(inputs=[({float("nan"): POSITIVE},)], refused="DYCL072")
def keys_that_equal_nothing(table):
    """Nothing but the key itself finds the item of a NaN."""
    return [item + 1 for item in table.values()]
