"""``is`` between iterators, tuples, methods and tensors."""

from collections import OrderedDict

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

COUNTS = [(2,), (0,), (-1,)]


@case(inputs=COUNTS)
def iterators(n):
    """An iterator is its own iterator; another one of the same list is not."""
    items = [1, n]
    walk = iter(items)
    same = iter(walk)
    other = iter(items)
    numbered = enumerate(walk)
    return walk is same, walk is other, iter(numbered) is numbered, numbered is walk, list(same)


@case(inputs=COUNTS)
def tuples(n):
    """A tuple under two names is one object, tuples of other lengths are two."""
    pair = (n, 1)
    kept = pair
    return kept is pair, pair is (n,), kept is not pair, pair is None, pair[2:] is kept[2:]


@case(inputs=COUNTS, refused="DYCL037")
def tuples_chosen(n):
    """Whether it is the same tuple that two paths have chosen is not known."""
    pair, other = (n, 1), (n, 2)
    chosen = pair if n > 0 else other
    return chosen is pair  # <- refused


class _Counter:
    def __init__(self):
        self.count = 0

    def add(self, n):
        self.count += n


@case(inputs=COUNTS, refused="DYCL037")
def methods(n):
    """A method is another object each time that it is taken."""
    counter = _Counter()
    counter.add(n)
    return counter.add is counter.add  # <- refused


@case(inputs=COUNTS)
def method_under_two_names(n):
    """What was taken once is one object."""
    counter = _Counter()
    add = counter.add
    again = add
    again(n)
    return again is add, counter.count


@case(inputs=COUNTS)
def searched_tuples(n):
    """Looking for a tuple compares, and asks for no identity."""
    pairs = [(0, 1), (n, 2), (2, 2)]
    return (2, 2) in pairs, pairs.index((2, 2)), pairs.count((n, 2))


@case(inputs=COUNTS)
def class_as_cause(n):
    """``raise ... from Class`` makes an instance of the cause."""
    try:
        if n > 0:
            raise ValueError(n) from KeyError
        raise ValueError(n) from KeyError(n)
    except ValueError as error:
        cause = error.__cause__
        return isinstance(cause, KeyError), str(error)


@case(inputs=COUNTS)
def nan_in_containers(n):
    """What is in a container is itself first, and equal second."""
    nan = float("nan")
    items, table = [nan, n], {"a": nan, "b": n}
    shifted = nan * n
    return (
        nan in items, items == [nan, n], items.index(nan), nan in table.values(),
        table == {"a": nan, "b": n}, shifted in [shifted], [shifted] == [shifted], nan == nan,
    )  # fmt: skip


@case(inputs=COUNTS)
def dicts(n):
    """Dicts are equal where their keys are and what they hold, in any order."""
    one, other = {"a": n, "b": 1}, {"b": 1, "a": n}
    ordered, turned = OrderedDict(a=n, b=1), OrderedDict(b=1, a=n)
    return (
        one == other, one != other, one == {"a": 2, "b": 1}, one == {"a": n}, {"a": one} == {"a": other},
        ordered == turned, ordered == one, one == [n],
    )  # fmt: skip


@case(inputs=COUNTS, refused="DYCL002")
def lambda_that_yields(n):
    """A lambda with ``yield`` is refused by name."""
    walk = lambda: ((yield n), (yield 1))  # noqa: E731
    return list(walk())  # <- refused


@case(inputs=[(1.0,), (2.0,)], refused="DYCL053")
def nan_counted(number):
    """A list with a NaN is searched for the very same object, or what is equal."""
    nan = float("nan")
    return [nan, number * nan].count(nan)  # <- refused


@case(inputs=[(1.0,), (-2.0,)])
def nan_among_paths(number):
    """The NaN that a list holds is found on the path where it was chosen."""
    nan = float("nan")
    chosen = nan if number > 0 else 1.0
    return [nan, 1] == [chosen, 1]


@case(inputs=[(1.0,), (-2.0,)])
def one_of_two_nans(number):
    """Two NaN are two objects, also where paths meet."""
    one, other = float("nan"), float("nan")
    chosen = one if number > 0 else other
    return [one, 1] == [chosen, 1], chosen in [other]


@case(inputs=[(1.0,), (-2.0,)], refused="DYCL053")
def nan_worked_out(number):
    """A number of run time may be the NaN that a list holds."""
    nan = float("nan")
    chosen = nan if number > 0 else number
    return [nan, 1] == [chosen, 1]  # <- refused


class _TwoWeights(nn.Module):
    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Parameter(torch.ones(3)), nn.Parameter(torch.zeros(3))


@case(inputs=[(POSITIVE,), (NEGATIVE,)], refused="DYCL037")
class WeightChosen(_TwoWeights):
    """Whether what paths have chosen is a certain weight of the model is not known."""

    def forward(self, x):
        chosen = self.left if x.sum() > 0 else self.right
        return x + chosen, chosen is self.left  # <- refused


@case(inputs=[(POSITIVE,), (NEGATIVE,)])
class NotAmongWeightsChosen(_TwoWeights):
    """What paths have chosen is none of the weights that no path gives."""

    def forward(self, x):
        chosen = self.left if x.sum() > 0 else x[0] * 2
        return x + chosen, chosen is self.right, chosen is x


@case(inputs=[(POSITIVE, NEGATIVE), (NEGATIVE, POSITIVE)])
def arguments_apart(x, y):
    """Two arguments are two objects: a package refuses a call that gives one for both."""
    kept = x
    x = x + 1
    return kept is y, x is y, kept is x, y is y
