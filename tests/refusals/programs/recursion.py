"""Recursion that no single function of the host can stand for."""

import torch

from tests.refusals.harness import N, X, refused


def gathered(x, n):
    return x if n == 0 else torch.cat([gathered(x, n - 1), x])


@refused("DYCL025", X, N)
def result_grows_with_the_depth(x, n):
    return gathered(x, n)


def deferred(x, n):
    if n == 0:
        return lambda: x
    return deferred(x + 1, n - 1)


@refused("DYCL026", X, N)
def function_from_below(x, n):
    return deferred(x, n)()
