"""Recursion that no single function of the host can stand for."""

from tests.refusals.harness import N, X, refused


def wrapped(x, n):
    return x if n == 0 else wrapped(x, n - 1).unsqueeze(0)


@refused("DYCL025", X, N)
def result_has_more_dimensions_with_the_depth(x, n):
    return wrapped(x, n)


def deferred(x, n):
    if n == 0:
        return lambda: x
    return deferred(x + 1, n - 1)


@refused("DYCL026", X, N)
def function_from_below(x, n):
    return deferred(x, n)()
