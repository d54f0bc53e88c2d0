"""``functools.cache`` over functions that are defined in the call: a cache for each call"""

import functools
import types

import torch

from tests.language.harness import case

NUMBERS = [(torch.tensor([float(n), 1.0, -2.0]),) for n in (6, 0, 3, -3)]


@case(inputs=NUMBERS)
def known_recursion(x):
    """A recursion over known numbers is evaluated once for each"""

    @functools.lru_cache(maxsize=None)
    def ways(k):
        return k if k < 2 else ways(k - 1) + ways(k - 2)

    return ways(20) * int(x.sum())


@case(inputs=NUMBERS)
def run_time_recursion(x):
    """How deep it goes is known only at run time"""

    @functools.cache
    def ways(k):
        return k if k < 2 else ways(k - 1) + ways(k - 2)

    return ways(max(int(x.sum()), 0))


@case(inputs=NUMBERS)
def best_way(x):
    """The best way through a grid, by two numbers"""

    @functools.lru_cache(None)
    def best(row, column):
        if row < 0 or column < 0:
            return 0.0
        here = x[(row + column) % 3].item()
        return here + max(best(row - 1, column), best(row, column - 1))

    return best(2, 2)


@case(inputs=NUMBERS)
def runs_once(x):
    """What the function does is done once; an integer and a float are two arguments"""
    calls = []

    @functools.cache
    def scaled(k):
        calls.append(k)
        return x * k

    total = scaled(2) + scaled(2)
    if x.sum() > 2:
        total = total + scaled(3)
    return total + scaled(3) + scaled(2.0), len(calls)


@case(inputs=NUMBERS)
def one_object(x):
    """The result is the same object each time, also by keywords"""

    @functools.cache
    def made(k, start=0):
        return [k + start]

    made(1).append(int(x.sum()))
    made(1, start=2).append(5)
    return made(1), made(1, start=2), made(1) is made(1), made(2)


@case(inputs=NUMBERS)
def no_plain_function(x):
    """What keeps results is no plain function"""

    @functools.cache
    def doubled(k):
        return 2 * k

    kinds = (isinstance(doubled, types.FunctionType), type(doubled).__name__, callable(doubled))
    return kinds, doubled(int(x.sum()))


@case(inputs=NUMBERS, refused="DYCL039")
def name_of_a_cached_function(x):
    """It has the name of the function whose results it keeps"""

    @functools.cache
    def doubled(k):
        return 2 * k  # never

    return doubled.__name__, x  # <- refused


@case(inputs=NUMBERS, refused="DYCL051")
def tensor_argument(x):
    """A tensor is remembered by which one it is"""

    @functools.cache
    def doubled(t):
        return t * 2

    return doubled(x) + doubled(x)  # <- refused
