"""`__len__` that gives what is no int, but stands for one."""

import numpy as np

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


class Grid:
    """As long as it has places; knows its shape."""

    def __init__(self, *shape):
        self.shape = shape

    def __len__(self):
        return np.prod(self.shape)


@case(inputs=ROWS)
def an_integer_of_numpy(x):
    """A `__len__` may give an integer of numpy: `len` and tests take it for an int."""
    places, nothing = Grid(2, 3), Grid(2, 0)
    if x.sum() > 0:
        x = x * len(places)
    chosen = x if places else -x  # known
    return chosen, not nothing, type(len(places)) is int


class Counted:
    """As long as its tensor says."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count


@case(inputs=ROWS, refused="DYCL039")
def an_integer_tensor(x):
    """A tensor with an integer would be taken for it, too."""
    return x if Counted((x > 0).sum()) else -x  # <- refused
