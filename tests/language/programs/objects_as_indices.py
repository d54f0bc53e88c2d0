"""Objects with an ``__index__`` as indices and bounds of slices."""

import torch

from tests.language.harness import case

ROWS = [(torch.arange(12.0).reshape(4, 3), 1), (torch.ones(4, 3), 3), (torch.ones(4, 3), 0)]


class _Place:
    def __init__(self, number):
        self.number = number

    def __index__(self):
        return self.number


class _Counting(_Place):
    asked = 0

    def __index__(self):
        self.asked = self.asked + 1
        return self.number


@case(inputs=ROWS)
def of_tensors(x, n):
    """A tensor asks an object for its number, also in tuples and slices."""
    place, bound, chosen = _Place(1), _Place(2), _Place(n)
    y = x * 2
    y[place] = 5
    y[bound, :place] = 7
    return x[place], x[place, bound], x[:bound], x[place:, bound], x[chosen], x[:chosen], y


@case(inputs=ROWS)
def of_containers(x, n):
    """So do lists, tuples, texts and ranges; a dict takes the object itself."""
    place, chosen = _Place(1), _Place(n)
    items = [x, n, 2, 3]
    items[_Place(0)] = 9
    items[_Place(2) : _Place(3)] = [5, 6]
    table = {place: 1}
    return (
        items, items[place], items[:place], (4, 5)[place], "abc"[place], range(5)[place],
        table[place], [4, 5, 6, 7][chosen], "abc"[place:],
    )  # fmt: skip


@case(inputs=ROWS)
def asked_once(x, n):
    """A list asks once."""
    place = _Counting(1)
    items = [x, n]
    return items[place], items[place], place.asked


@case(inputs=ROWS)
def out_of_range(x, n):
    """What is out of range is told as of any number."""
    try:
        return [1, 2][_Place(n)]
    except IndexError as error:
        return str(error), x


@case(inputs=ROWS, refused="DYCL030")
def asked_by_a_tensor(x, n):
    """How often a tensor asks is not known."""
    place = _Counting(1)
    return x[place], n  # <- refused


@case(inputs=[(torch.ones(4, 3),)], refused="DYCL030")
def no_integer(x):
    """An ``__index__`` gives an integer."""
    return x[_Place(1.0)]  # <- refused


class _Told:
    def __init__(self, number, name):
        self.number, self.name = number, name

    def __index__(self):
        print(self.name)
        return self.number


@case(inputs=[(torch.tensor([1.0, 2.0]),)], refused="DYCL030")
def steps_of_slices_are_asked_first(x):
    """Python asks for the step of a slice before its bounds."""
    return x * len([1, 2, 3, 4][_Told(0, "start") : _Told(3, "stop") : _Told(2, "step")])  # <- refused
