"""Recursion inside of a `try` that may catch that it is too deep."""

from tests.language.harness import case


def _down(n):
    return 0 if n <= 0 else 1 + _down(n - 1)


@case(inputs=[(3,), (5,)])
def recursion_in_a_try(n):
    """A recursion that ends, inside `except Exception`."""
    try:
        return _down(n)
    except Exception:  # never
        return "failed"  # never


@case(inputs=[(3,), (5,)], refused="DYCL063")
def deep_recursion_caught(n):
    """A recursion that may be too deep, inside `except RecursionError`."""
    try:
        return _down(n)
    except RecursionError:  # never
        return "too deep"  # never


def _again(n):
    return _again(n)


@case(inputs=[(1,), (2,)], refused="DYCL063")
def endless_recursion_caught(n):
    """A recursion without an end, inside `except RuntimeError`."""
    try:
        return _again(n)
    except RuntimeError:  # never
        return "too deep"  # never
