"""Ranges whose step is known only at run time: up, down, and not at all."""

import torch

from tests.language.harness import MIXED, case

STEPS = [(MIXED, 1), (MIXED, 2), (MIXED, 7), (MIXED, -1), (MIXED, -2), (MIXED, 0)]


@case(inputs=STEPS)
def walked(x, step):
    """A loop over the range; a step of 0 is an error."""
    total = x.sum()
    for i in range(0, 5, step):
        total = total + i
    return total


@case(inputs=STEPS)
def down_from_a_number(x, step):
    """Start and end are run-time numbers as well."""
    high = int((x > 0).sum())
    seen = []
    for i in range(high, -high, step):
        seen.append(i)
    return seen


@case(inputs=STEPS, slow=True)
def listed_and_filtered(x, step):
    """A list, a comprehension with a filter, a membership."""
    numbers = list(range(1, 9, step))
    doubled = [2 * i for i in range(9, 1, step) if i % 2 == 0]
    return numbers, doubled, 3 in range(0, 9, step)


@case(inputs=[(MIXED, 1), (MIXED, 2), (MIXED, 4)])
def windows(x, size):
    """Rows taken in windows of a run-time size."""
    rows = torch.cat([x, x * 2])
    best = []
    for start in range(0, len(rows), size):
        best.append(rows[start : start + size].max())
    return torch.stack(best)


@case(inputs=STEPS)
def walked_twice(x, step):
    """A range can be walked again."""
    if step < 1:
        return x
    numbers = range(0, 6, step)
    total = x
    for i in numbers:
        total = total + i
    for i in numbers:
        total = total * 0.5 + i
    return total, [(i, j) for i, j in zip(numbers, [10, 20, 30])]
