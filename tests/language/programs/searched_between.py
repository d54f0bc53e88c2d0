"""`index` between bounds that are known only at run time, in lists, tuples and deques."""

from collections import deque

import torch

from tests.language.harness import case

ROWS = [
    (torch.tensor([9, 3, 9, 4, 2]), 1, 3),
    (torch.tensor([9, 3, 9, 4, 2]), -4, -1),
    (torch.tensor([9, 3, 9, 4, 9]), -1, 9),
    (torch.tensor([9, 1, 7, 3, 9]), 2, -9),
    (torch.tensor([1, 2, 0, 1, 2]), 0, 3),
]


@case(inputs=ROWS)
def in_a_list(x, start, stop):
    """The bounds of a slice, also from the end; ValueError where nothing is equal."""
    tokens = x.tolist()
    return tokens.index(9, start), tokens.index(9, start, stop)


@case(inputs=[(x, n) for x, n, _ in ROWS])
def from_the_last_place_on(x, token):
    """The next one is looked for behind the one that was found."""
    tokens = [*x.tolist(), token, token]
    first = tokens.index(token)
    return tokens.index(token, first + 1)


@case(inputs=ROWS)
def words_of_the_errors(x, start, stop):
    """Tuples and deques have words of their own."""
    try:
        return tuple(x.tolist()).index(9, start, stop)
    except ValueError as error:
        words = str(error)
    try:
        return deque(x.tolist()).index(3, start, stop)
    except ValueError as error:
        return words, str(error)


@case(inputs=ROWS)
def in_containers_of_the_host(x, start, stop):
    """The same where the length is known only at run time."""
    kept = [token for token in x.tolist() if token != 3]
    try:
        return kept.index(9, start, stop)
    except ValueError as error:
        words = str(error)
    try:
        return deque(kept).index(7, start, stop)
    except ValueError as error:
        return words, str(error)


@case(inputs=ROWS)
def among_tensors(x, start, stop):
    """What holds an equal number is found."""
    rows = [x[place] for place in range(5)]
    try:
        return rows.index(9, start, stop)
    except ValueError:
        return -1


@case(inputs=ROWS)
def a_tensor_as_bound(x, start, stop):
    """An integer tensor of one element is a bound, a number with a point is none."""
    tokens = x.tolist()
    try:
        if stop > 5:
            return tokens.index(9, start * 1.0)
        return tokens.index(x[0], x[-1] - 2, stop)
    except (TypeError, ValueError) as error:
        return type(error).__name__, len(str(error)) > 40


@case(inputs=[(1,), (2,), (0,)])
def a_number_of_run_time_in_known_words(n):
    """What is looked for may be known, and the places too."""
    words = ["a", "b", "a", "c"]
    return words.index("a", n), words.index("c", n)
