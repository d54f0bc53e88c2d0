"""``slice(a, b)`` with bounds of run time: built, kept, and put into an index."""

from tests.language.harness import NEGATIVE, POSITIVE, case, noise

X = noise(6, 4)
COUNTS = [(X, n) for n in (2, 1, 0, 4, 100, -1)]


@case(inputs=COUNTS)
def one_of_many(x, n):
    """A slice for one of so many dimensions, whichever that is"""
    index = [slice(None)] * x.dim()
    index[1] = slice(1, n)
    return x[tuple(index)], x[slice(n)], x[slice(-n, None)]


@case(inputs=COUNTS)
def chosen(x, n):
    """Slices of several kinds meet; a slice may be used more than once"""
    rows = slice(n) if n > 1 else slice(n, None)
    return x[rows], x[rows, rows], [i for i in range(10)][rows], "abcdef"[rows]


@case(inputs=COUNTS)
def written(x, n):
    """Elements are written at a slice with a step; bounds are read from it"""
    every = slice(0, n, 2)
    out = x.clone()
    out[every] = 0
    return out, every.start, every.stop, every.step, isinstance(every, slice)


class Window:
    """Rows of a tensor."""

    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, part):
        if isinstance(part, slice):
            return self.rows[slice(part.start, part.stop)].sum(0)
        return self.rows[part]


@case(inputs=COUNTS)
def of_a_class(x, n):
    """A class's own __getitem__ is given one"""
    window = Window(x)
    parts = {"head": slice(0, n), "tail": slice(n, None)}
    return window[:n], window[n % 6], {name: x[part].sum(0) for name, part in parts.items()}


@case(inputs=[(POSITIVE, slice(0, 2)), (NEGATIVE, slice(0, 2))])
def given_as_an_argument(x, part):
    """A slice that is an argument is fixed to the example's."""
    rows = x[part] if x.sum() > 0 else x
    return rows, part.stop, part


@case(inputs=[({"x": x, "part": slice(1, None)},) for x in (POSITIVE, NEGATIVE)])
def given_in_a_dict(batch):
    """So is one in a container."""
    x = batch["x"]
    return x[batch["part"]] if x.sum() > 0 else x
