"""Where recursive functions are called from: generators, comprehensions, keys, callbacks."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

TIMES = [(POSITIVE, 3), (MIXED, 0), (NEGATIVE, 2)]


def _halved(x, n):
    return x if n <= 0 else _halved(x / 2, n - 1)


def _checked(x, n):
    if n < 0:
        raise ValueError("negative")
    return x if n == 0 else _checked(x * 2, n - 2)


@case(inputs=TIMES)
def in_a_generator(x, n):
    """A generator yields what a recursive function gives; its `try` catches what that raises."""

    def several():
        caught = 0
        try:
            yield x
            y = _checked(x, n)
            yield y + 1
        except ValueError:
            caught = 100
        yield x * caught

    total = x * 0
    for part in several():
        total = total + part
    return total


@case(inputs=TIMES, slow=True)
def in_a_comprehension(x, n):
    """A recursive function is called for each item, and its results are compared."""
    parts = [_halved(part, n) for part in x]
    best = max(range(len(parts)), key=lambda i: _halved(parts[i].sum(), n))
    return torch.stack(parts), best


@case(inputs=TIMES)
def same_tensor_twice(x, n):
    """One tensor is two arguments; the next calls give two tensors."""

    def mixed(a, b, k):
        if k == 0:
            return a - b
        return mixed(a + 1, b * 2, k - 1)

    return mixed(x, x, n), mixed(x, -x, n)


@case(inputs=TIMES)
def views_of_one_tensor(x, n):
    """Arguments that share memory, and results that are views of them."""

    def pick(a, b, k):
        return a[:1] if k == 0 else pick(b, a, k - 1)

    y = x * 1
    z = pick(y[0:1], y, n)
    return z * 2, y


@case(inputs=TIMES, refused="DYCL035")
def view_of_an_argument_written(x, n):
    """Writing where the result may be a view of one of two tensors is refused."""

    def pick(a, b, k):
        return a[:1] if k == 0 else pick(b, a, k - 1)

    y, w = x * 1, x * 2
    z = pick(y, w, n)
    y += 1  # <- refused
    return z, y


class _Leaf:
    def __init__(self, value):
        self.value = value

    def grown(self, n):
        return self if n == 0 else _Leaf(self.value * 2).grown(n - 1)


@case(inputs=TIMES)
def method_of_an_object_made_here(x, n):
    """A method that recurses on a new object each time."""
    return _Leaf(x).grown(n).value


@case(inputs=TIMES)
class RecursionUnderNoGrad(nn.Module):
    """The same recursion inside and outside of ``no_grad``."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(3, 3)

    def again(self, x, n):
        return x if n <= 0 else self.again(self.gate(x), n - 1)

    def forward(self, x, n):
        with torch.no_grad():
            y = self.again(x, n)
        return y + self.again(x, n + 1)


@case(inputs=[(POSITIVE, 2), (MIXED, 0), (NEGATIVE, 1)])
def mutable_default(x, n):
    """A default list is the same object in every call of the recursion."""

    def again(y, k, seen=[0]):
        seen[0] += 1
        return (y, seen[0]) if k == 0 else again(y + 1, k - 1)

    first = again(x, n)
    second = again(x, n)
    return first, second


@case(inputs=[(POSITIVE, 2, 3), (MIXED, 0, 0), (NEGATIVE, 1, 5)])
def recursion_inside_recursion(x, n, m):
    """A recursive function calls another recursive function, with what it got from it."""

    def inner(y, k):
        return y if k <= 0 else inner(y * 0.5, k - 1)

    def outer(y, k):
        if k == 0:
            return inner(y, m)
        return outer(inner(y, k) + 1, k - 1)

    return outer(x, n)


@case(inputs=[(POSITIVE, 4), (MIXED, 0), (NEGATIVE, 3)])
def three_results(x, n):
    """Results of three structures: nothing, one tensor, a pair."""

    def search(y, k):
        if y.sum() > 20:
            return None
        if k == 0:
            return y
        if k == 1:
            return y, k
        return search(y * 2, k - 2)

    found = search(x, n)
    if found is None:
        return 0
    if isinstance(found, tuple):
        return found[0] + found[1]
    return found


@case(inputs=[(POSITIVE, 4), (MIXED, 0), (NEGATIVE, 3)])
def types_that_differ(x, n):
    """An int at one depth, a float at others."""

    def measure(y, k):
        if k == 0:
            return 0
        if y.sum() > 4:
            return 0.5
        return measure(y + 1, k - 1) + 1

    found = measure(x, n)
    return found * 2, isinstance(found, float)


@case(inputs=[(3,), (0,)], may_refuse=True)
def list_grows_between_calls(n):
    """A list of the caller grows at the ends of a double recursion."""
    results = []

    def walk(k):
        if k <= 0:
            results.append(k)
            return
        walk(k - 1)
        walk(k - 2)

    walk(n)
    return len(results)


@case(inputs=[(POSITIVE, 3), (MIXED, 0)])
class AttributeSetBeforeTheCall(nn.Module):
    """An object gets an attribute before the recursive call, which reads it."""

    def forward(self, x, n):
        note = _Leaf(x)

        def again(y, k):
            note.last = y
            if k == 0:
                return note.last + 1
            return again(y * 2, k - 1) + note.value

        return again(x, n)
