"""Functions that run in the first call only: ``functools.lru_cache`` and ``cached_property``."""

import functools

import torch
from torch import nn

from tests.language.harness import case, noise

SERIES = [(noise(2, 3),), (-noise(2, 3),), (noise(2, 3) * 2,), (noise(2, 3, seed=1),)]


@case(inputs=SERIES, rounds=True)
class PureMethod(nn.Module):
    """A cached method that only computes from its arguments, with a list of its own."""

    @functools.lru_cache(maxsize=None)
    def scale(self, n):
        steps = []
        for i in range(n + 1):
            steps.append(i * 0.5)
        return sum(steps) + n

    def forward(self, x):
        return x * self.scale(int(x.abs().sum()) % 3) if x.sum() > 0 else x


class _Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls, self.factors = 0, [1.0]
        self.register_buffer("total", torch.zeros(3))


@case(inputs=SERIES, refused="DYCL034")
class CountsItsRuns(_Counting):
    """A cached method stores something: in its first call only."""

    @functools.lru_cache(maxsize=None)
    def scale(self, n):
        self.calls += 1
        return n * 2.0

    def forward(self, x):
        return x * self.scale(2) + self.calls  # <- refused


@case(inputs=SERIES, refused="DYCL034")
class ReadsWhatChanges(_Counting):
    """A cached method reads an attribute that later calls find changed."""

    @functools.lru_cache(maxsize=None)
    def scale(self, n):
        return n * 2.0 + self.calls

    def forward(self, x):
        y = x * self.scale(2)  # <- refused
        self.calls += 1
        return y


@case(inputs=SERIES, refused="DYCL034")
class ReadsAChangedBuffer(_Counting):
    """A cached method reads a buffer that is written in place."""

    @functools.lru_cache(maxsize=None)
    def scale(self, n):
        return self.total.sum() + n

    def forward(self, x):
        y = x * self.scale(2)  # <- refused
        self.total += 1
        return y


@case(inputs=SERIES, refused="DYCL034")
class ReadsAGrowingList(_Counting):
    """A cached method reads a list of the model's that grows."""

    @functools.lru_cache(maxsize=None)
    def scale(self, n):
        return sum(self.factors) + n

    def forward(self, x):
        y = x * self.scale(2)  # <- refused
        self.factors.append(2.0)
        return y


@functools.lru_cache(maxsize=None)
def _total(numbers):
    return sum(numbers)


@case(inputs=SERIES)
def unhashable(x):
    """The arguments of a cached function are keys: a list is none."""
    return x * _total((1, 2)) if x.sum() > 0 else x * _total([1, 2])


@case(inputs=SERIES, rounds=True)
class Properties(nn.Module):
    """Cached properties of lists, dicts, layers and tensors that are read."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])

    @functools.cached_property
    def backwards(self):
        return list(reversed(self.layers))

    @functools.cached_property
    def table(self):
        return {"names": ["a", "bc"], "ones": torch.ones(3)}

    def forward(self, x):
        for layer, name in zip(self.backwards, self.table["names"]):
            x = layer(x) if x.sum() > 0 else x * len(name)
        return x * self.table["ones"]


@case(inputs=SERIES, refused="DYCL034")
class PropertyThatCounts(_Counting):
    """A cached property stores something: when it is first read."""

    @functools.cached_property
    def scale(self):
        self.calls += 1
        return 3.0

    def forward(self, x):
        return x * self.scale + self.calls  # <- refused


@case(inputs=SERIES, refused="DYCL034")
class PropertyOfWhatChanges(_Counting):
    """A cached property reads an attribute that the call has changed."""

    @functools.cached_property
    def scale(self):
        return self.calls + 1

    def forward(self, x):
        self.calls += 1
        return x * self.scale  # <- refused


@case(inputs=SERIES, refused="DYCL034")
class PropertyThatGrows(nn.Module):
    """A list within what a cached property gives is changed, for later calls, too."""

    @functools.cached_property
    def table(self):
        return {"steps": [1]}

    def forward(self, x):
        if x.sum() > 0:
            self.table["steps"].append(1)  # <- refused
        return x * len(self.table["steps"])


class _Recipe:
    def __init__(self, n):
        self.n, self.steps = n, [n, n + 1]


@functools.lru_cache(maxsize=None)
def _recipe(n, more=(1, 2)):
    return _Recipe(n + sum(more))


@functools.lru_cache(maxsize=None)
def _shape(recipe, sizes):
    return [recipe.n, *sizes]


@case(inputs=SERIES)
def one_object(x):
    """A cached function gives one object, which further cached functions take."""
    first, again, other = _recipe(3), _recipe(3), _recipe(4)
    same = (first is again, first == again, first is first, len(other.steps))
    if x.sum() > 0:
        x = x * _shape(first, x.shape)[0] + _recipe(5).n
    else:
        x = x - _shape(again, x.shape)[-1]
    return x * _recipe(5).n, same


@case(inputs=SERIES)
def one_object_in_a_loop(x):
    """A cached function gives one object in each turn of a loop."""
    n = 0
    while x.abs().sum() > 3:
        x = x * 0.5 + _recipe(6).n * 0.01
        n += 1
        if _recipe(n % 2).steps[0] > 3:
            x = x + 0.1
    return x, _recipe(6).steps


@case(inputs=SERIES)
def maybe_one_object(x):
    """Which of two objects of a cached function it is depends on the path."""
    chosen = _recipe(7) if x.sum() > 0 else _recipe(8)
    return x * chosen.n, chosen is _recipe(7)


_SCALES = [3]


@functools.lru_cache(maxsize=None)
def _scaled(n):
    return _Recipe(n * _SCALES[0])


@case(inputs=SERIES, refused="DYCL037")
def maybe_one_evaluated_object(x):
    """Whether objects are one depends on the path, of a cached function that reads a list of its file."""
    chosen = _scaled(7) if x.sum() > 0 else _scaled(8)
    return x * chosen.n, chosen is _scaled(7)  # <- refused


@case(inputs=SERIES, refused="DYCL034")
def one_object_changed(x):
    """What a cached function gave is changed."""
    if x.sum() > 0:
        _recipe(20).steps.append(1)  # <- refused
    return x * len(_recipe(20).steps)


class _Axis:
    pass


@functools.lru_cache(maxsize=None)
def _parsed(pattern):
    names = set()
    for letter in pattern:
        names.add(_Axis() if letter.isdecimal() else letter)
    return len(names), [letter for letter in pattern if letter in names]


@case(inputs=SERIES)
def pattern_of_names_and_numbers(x):
    """A cached function of known texts is called when compiling: it may do what is not evaluated."""
    count, named = _parsed("ab2c3")
    return (x * count if x.sum() > 0 else x - count), named


@case(inputs=SERIES, refused="DYCL034")
def joined_object_changed(x):
    """What a cached function gave on one of two paths is changed."""
    chosen = _recipe(9) if x.sum() > 0 else _recipe(10)
    chosen.steps.append(1)  # <- refused
    return x * len(_recipe(9).steps)


@case(inputs=SERIES)
class PropertyIsOneObject(nn.Module):
    """A cached property is one object."""

    @functools.cached_property
    def steps(self):
        return [1, 2]

    def forward(self, x):
        return x * self.steps[1], self.steps is self.steps, self.steps == [1, 2]


@functools.lru_cache(maxsize=None)
def _pair(n):
    return [n], [n + 1]


@case(inputs=SERIES)
def parts_of_a_cached_tuple(x):
    """Lists in tuples that a cached function gave are one."""
    return x * _pair(1)[1][0], _pair(1)[0] is _pair(1)[0]


@functools.lru_cache(maxsize=None)
def _scaled_pair(n):
    return [n * _SCALES[0]], [n + 1]


@case(inputs=SERIES, refused="DYCL037")
def parts_of_an_evaluated_tuple(x):
    """Whether lists are one, in tuples of a cached function that reads a list of its file."""
    return x * _scaled_pair(1)[1][0], _scaled_pair(1)[0] is _scaled_pair(1)[0]  # <- refused


@functools.lru_cache
def _of_many_kinds(content):
    if isinstance(content, complex):
        return content.real + 10 * content.imag
    return sum(content)


@case(inputs=SERIES)
def arguments_of_many_kinds(x):
    """Complex numbers, bytes, ranges and sets of the call are told apart by what they are."""
    for n in range(6):
        x = x * 0.5 + _of_many_kinds(complex(n, 1)) + _of_many_kinds(range(n + 1))
        x = x - _of_many_kinds(frozenset((n, n + 1))) * _of_many_kinds(bytes((n, 2)))
    return x


@functools.lru_cache
def _length(n, times):
    return len(str(n)) * times


@case(inputs=SERIES, refused="DYCL034")
def equal_arguments(x):
    """A cache gives for 3.0 what it gave for 3."""
    x = x * _length(3, 1)
    return x + _length(3.0, 1)  # <- refused


@functools.lru_cache(typed=True)
def _halved_by_type(n, times):
    return n / 2**times if isinstance(n, float) else n // 2**times


@case(inputs=SERIES)
def equal_arguments_of_other_types(x):
    """A cache that looks at types tells 3.0 from 3; others do so where it is the only argument."""
    return x * _halved_by_type(3, 1) + _halved_by_type(3.0, 1), _of_one(3), _of_one(3.0)


@functools.lru_cache
def _of_one(n):
    return str(n)


@case(inputs=SERIES, refused="DYCL034")
def equal_zeros(x):
    """A cache gives for -0.0 what it gave for 0.0."""
    x = x * len(_of_one(0.0))
    return x + len(_of_one(-0.0))  # <- refused


@functools.lru_cache(maxsize=1)
def _last(n):
    return [n]


@case(inputs=SERIES, refused="DYCL034")
def forgotten(x):
    """A cache that is full makes another object."""
    first = _last(1)
    x = x * _last(2)[0]  # <- refused
    return x, first is _last(1)


@functools.lru_cache(maxsize=0)
def _never_kept(n):
    return [n]


@case(inputs=SERIES)
def never_kept(x):
    """A cache of no size makes an object in each call."""
    return x * _never_kept(1)[0], _never_kept(1) is _never_kept(1)


@functools.lru_cache(maxsize=1)
def _next(n):
    return n + 1


@case(inputs=SERIES)
def numbers_forgotten(x):
    """Numbers and texts that are made again are the same."""
    return x * _next(1) + _next(2) - _next(1)


@functools.lru_cache
def _told(n):
    print("made", n)
    return n + 1


@case(inputs=SERIES, refused="DYCL034")
def prints_once(x):
    """What a cached function prints is printed in its first call only."""
    return x * _told(2)  # <- refused


@case(inputs=SERIES)
def prints_beside(x):
    """What is printed around a call of a cached function is printed in each call."""
    print("before")
    x = x * _next(5)
    print("after")
    return x + _next(6)
