"""Functions of numpy over lists whose length the input decides."""

import numpy as np
import torch

from tests.language.harness import case

COUNTS = [(torch.tensor(n),) for n in (3, 5, 2, 1)]


def squares(n):
    """Return the squares of the numbers before ``n``, as a list of run time."""
    found = []
    i = 0
    while i < n.item():
        found.append(i * i)
        i += 1
    return found


@case(inputs=COUNTS)
def numbers_of_a_list(n):
    """A sum, the largest, the mean are numbers, however long the list is."""
    found = squares(n)
    return np.sum(found), np.max(found).item(), np.median(found), np.std(found)


@case(inputs=COUNTS)
def the_place_of_the_largest(n):
    """It may be any place of the list, not only of the first two."""
    return "abcdef"[np.argmax(squares(n))], ["p", "q", "r", "s", "t"][np.argmax(squares(n))]


@case(inputs=COUNTS, refused="DYCL059")
def differences(n):
    """Of as many numbers as the list has: the host's arrays have sizes that are known."""
    return np.diff(squares(n)).tolist()  # <- refused


@case(inputs=COUNTS, refused="DYCL059")
def an_array_of_the_list(n):
    """So do arrays that are made of it."""
    return len(np.array(squares(n)))  # <- refused


@case(inputs=COUNTS, refused="DYCL059")
def two_lists_in_one_array(n):
    """And arrays of two lists."""
    return torch.from_numpy(np.concatenate([squares(n), squares(n)]))  # <- refused
