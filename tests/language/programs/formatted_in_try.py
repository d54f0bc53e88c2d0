"""Numbers formatted where an exception may be caught: most formats take every number."""

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case


def _checked(x, n, least):
    mean = x.mean().item()
    if mean < least:
        raise ValueError(f"step {n} of {n + 1:>3}: mean {mean:.1f}, {mean < 0} {n!r}")
    return x * n


INPUTS = [(x, n) for x in (POSITIVE, NEGATIVE) for n in (0, 2)]


@case(inputs=INPUTS)
def message_made_in_a_try(x, n):
    """A message with numbers is made in a `try`; the handler shows it"""
    try:
        y = _checked(x, n, 0.0)
    except ValueError as error:
        print(error)
        y = x - n
    return y


@case(inputs=[(x, n, tries) for x, n in INPUTS for tries in (0, 3)])
def retried(x, n, tries):
    """A call is tried again with other numbers until it works or tries are used up"""
    failures = []
    least = 0.5
    while True:
        try:
            y = _checked(x, n, least)
            break
        except ValueError as error:
            failures.append(f"{least:.2f}")
            if len(failures) > tries:
                raise RuntimeError(f"gave up after {len(failures)}") from error
            least -= 1.0
    return y, len(failures), failures


@case(inputs=[(x, n) for x in (POSITIVE, MIXED) for n in (0, 65, 2**21)])
def formats_that_may_raise(x, n):
    """Some formats of integers raise for large ones."""
    try:
        text = f"{n:c}"
    except OverflowError:
        text = "none"
    return torch.abs(x), text
