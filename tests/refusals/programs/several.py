"""Programs that are refused for several reasons at once, through two calls."""

from torch import logit

from tests.refusals.harness import is_tensor


def innermost(x):
    """Hold three independent errors and what depends on one of them."""
    text = f"{x}"
    kept = logit(x, x.min())
    found = x in ["all", x + 2]
    return text, kept + 1, found


def inner(x):
    """Call the function with the errors."""
    return innermost(x * 2) if is_tensor(x) else None


def outer(x):
    """Call the function that calls it."""
    return inner(x)
