"""Lists and tuples beside arrays: numpy makes arrays of them, and is asked first."""

from collections import deque

import numpy as np

from tests.language.harness import case, noise

ROW = noise(3)
NUMBERS = [(ROW, 0), (ROW, 1), (-ROW, 3)]


@case(inputs=NUMBERS)
def with_every_operator(x, n):
    """Lists of numbers of run time beside an array, on either side."""
    a = x.numpy()
    return a * [1, n, 2], [n, 1, 1] + a, (n, 2, 3) - a, a / (1, n + 1, 2), a @ [1.0, n, 2.0]


@case(inputs=NUMBERS)
def with_lists_of_known_numbers(x, n):
    """Lists that are known, and rows of rows."""
    a = x.numpy()
    return a + [1, 2, 3], [[n, 2, 3], [1, 1, 1]] * a, np.arange(3) * [n, 2, 3], [n] * np.array(3)


@case(inputs=NUMBERS)
def compared_with_lists(x, n):
    """Comparisons give an array as well."""
    a = x.numpy()
    return a > [0, n, 0], a == (1, n, 3), [n, 1, 1] <= a, a != [0, 0, 0]


@case(inputs=NUMBERS)
def with_lists_that_grew(x, n):
    """Lists of as many numbers as the call says."""
    grown = []
    for step in range(n):
        grown.append(step * n)
    return np.arange(n) * grown, np.arange(n) - grown


@case(inputs=NUMBERS)
def added_to_a_list(x, n):
    """`+=` of a list and an array is an array: the list is left as it is."""
    items = [1, n, 2]
    first = items
    items += x.numpy()
    items += [n, 1, 1]
    items *= (1, 2, n)
    return items, first


@case(inputs=NUMBERS)
def added_to_what_holds_a_list(x, n):
    """So it is in a dict, of a deque, a tuple, and of a list that grew."""
    table, row, pair = {"row": [n, 1, 1]}, deque([1, n, 2]), (1, 2, n)
    held, grown = table["row"], []
    for step in range(n):
        grown.append(step)
    kept = grown
    table["row"] *= x.numpy()
    row += x.numpy()
    pair += x.numpy()
    grown += np.arange(n)
    return table, held, row, pair, grown, kept


class Row(list):
    pass


@case(inputs=NUMBERS, refused="DYCL038")
def added_to_a_list_of_a_class(x, n):
    """What a class of the program's own inherits from list may say something to numpy."""
    row = Row([1, n, 2])
    row += x.numpy()  # <- refused
    return row


@case(inputs=[(ROW,), (-ROW,)])
def extended_by_an_array(x):
    """`extend` takes the numbers of an array one by one."""
    items = [1.0]
    items.extend(x.numpy())
    return [float(item) for item in items]
