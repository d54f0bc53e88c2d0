"""What Python or PyTorch does not take, with the errors: answers of `__bool__` and `__len__`, places."""

import torch

from tests.language.harness import MIXED, case

NUMBERS = [(2, MIXED), (0, MIXED), (-1, MIXED)]


class Answering:
    """Says what it was given, asked for its truth."""

    def __init__(self, answer):
        self.answer = answer

    def __bool__(self):
        return self.answer


class Long:
    """As long as it was told."""

    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size


@case(inputs=[(1.0, MIXED), (0.0, MIXED)], slow=True)
def a_float_is_no_truth(number, x):
    """`__bool__` must give a bool: a float raises TypeError, whatever it is."""
    try:
        return bool(Answering(number))
    except TypeError as error:
        return str(error), x


@case(inputs=[(True, MIXED), (False, MIXED)])
def a_bool_is_one(flag, x):
    """`__bool__` with a run-time bool is a test like any other."""
    return x if Answering(flag) else -x


@case(inputs=NUMBERS)
def an_int_is_no_truth(number, x):
    """`__bool__` that gives an int raises, under `not` as well."""
    try:
        return not Answering(number)
    except TypeError as error:
        return str(error), x


@case(inputs=NUMBERS)
def lengths_may_not_be_negative(number, x):
    """A negative `__len__` raises ValueError in `len` and in tests."""
    steps = Long(number)
    return (x if steps else -x), len(steps)


@case(inputs=[(1.5, MIXED)])
def a_length_is_an_integer(number, x):
    """A `__len__` that gives a float raises TypeError in a test and in `len`."""
    try:
        return x * len(Long(number))
    except TypeError as error:
        return str(error)


@case(inputs=[(MIXED, torch.tensor([1, 0])), (-MIXED, torch.tensor([1, 0]))], refused_on_host="DYCL412")
def places_that_are_no_integers(x, places):
    """PyTorch raises, though not on tensors without content; a runtime may take them."""
    return x if x.sum() > 0 else x.index_select(0, places / 2)
