"""Functions of numpy over lists whose length the input decides."""

import collections
import statistics

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


@case(inputs=COUNTS)
def differences(n):
    """Of as many numbers as the list has; those of no number are floats."""
    return np.diff(squares(n)).tolist()


@case(inputs=COUNTS)
def an_array_of_the_list(n):
    """Its length is the list's; the array of an empty list holds floats."""
    found = np.array(squares(n))
    kept = np.array(squares(n - 1))
    return len(found), found, kept.dtype == float, torch.from_numpy(kept)


@case(inputs=COUNTS, refused="DYCL059")
def two_lists_in_one_array(n):
    """Its element type depends on whether one of the lists is empty."""
    return torch.from_numpy(np.concatenate([squares(n), squares(n)]))  # <- refused


BOUNDS = [(torch.tensor(n),) for n in ([1, 4, 1], [0, 2, 2], [2, 2, 1])]


@case(inputs=BOUNDS)
def numbers_between_two(n):
    """How many there are depends on both, which need not be equal as samples may be."""
    return np.arange(n[0].item(), n[1].item()).tolist()


@case(inputs=BOUNDS)
def as_many_as_there_are_steps(n):
    """Two numbers together decide how large the square is that is made."""
    return np.tri(n[0].item() + 1, n[1].item()).sum(), np.tri(n[1].item()).shape


@case(inputs=BOUNDS)
def a_mean_of_integers(n):
    """It is an integer where it is a whole number, and a float elsewhere."""
    return statistics.mean(squares(n[1]))


@case(inputs=[(torch.tensor([[1, 5], [3, 4]]),), (torch.tensor([[0, 1], [7, 2]]),)])
def shapes_that_are_certain(n):
    """A choice between elements, numbers put between two others, repeated so often as is known."""
    values = n.numpy()
    chosen = np.where(values > 2, values, -values)
    return chosen.tolist(), np.linspace(int(n[0, 0]), int(n[1, 0]), 3).tolist(), np.repeat(values, 2)


def boxes(n):
    """Return rows of three integers, as many as there are, and as many floats."""
    rows, halves = [], []
    i = 0
    while i < n.item():
        rows.append([i, i + 2, 7])
        halves.append([i / 2, 1.5, 2.5])
        i += 1
    return rows, halves


@case(inputs=[*COUNTS, (torch.tensor(0),)])
def arrays_of_rows(n):
    """The rows of a list are of any length, which the array's shape tells at run time."""
    rows, halves = boxes(n)
    whole, parts = np.array(rows), np.asarray(halves)
    narrow = np.array(rows, dtype=np.float32)
    if parts.ndim > 1:
        columns = parts.shape[1] if len(parts) > 2 else narrow.shape[1] + 1
        return whole.shape, columns, parts.sum(), torch.from_numpy(parts) * 2
    return whole.shape, parts, narrow, whole.dtype == int


@case(inputs=COUNTS)
def columns_of_rows(n):
    """A column of an array of rows, which has none where there is nothing in the rows."""
    table = np.array([[0, 0, 0], *boxes(n)[0]])
    return table[:, 0].max(), table[table[:, 1] > 2], table.reshape(-1, 3).shape


@case(inputs=[(torch.tensor([n, m]),) for n, m in ([2, 3], [2, 0], [0, 3], [1, 1])])
def rows_with_nothing_in_them(n):
    """An array of rows with nothing in them holds floats."""
    rows = []
    i = 0
    while i < n[0].item():
        rows.append([1] * n[1].item())
        i += 1
    table = np.array(rows)
    return table.shape, table.dtype == float


@case(inputs=[(torch.tensor(n),) for n in (1, 3, 0)], messages=False)
def rows_of_different_lengths(n):
    """There is no array of rows with nothing in some of them only."""
    rows = [[1, 2]]
    i = 0
    while i < n.item():
        rows.append([1, 2] if i < 2 else [])
        i += 1
    return np.array(rows).shape


@case(inputs=COUNTS)
def deques(n):
    """A deque, of a length that is known or not, is to numpy what a list is."""
    known = collections.deque([n.item(), 2, 7], maxlen=2)
    last = collections.deque(maxlen=3)
    i = 0
    while i < n.item():
        last.append(i * 0.5)
        i += 1
    return np.mean(known), np.array(known), np.mean(last), np.array(last), np.median(last)
