"""``zip(*rows)`` of lists that only exist at run time: their columns."""

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case, noise

ROWS = noise(1, 3)


@case(inputs=[(ROWS, 3), (ROWS, 1)])
def columns_of_a_grown_list(x, n):
    """Pairs appended in a loop of unknown length, taken apart into two tuples."""
    pairs = [(x, 0)]
    for step in range(n):
        x = x * 2
        pairs.append((x, step))
    tensors, numbers = zip(*pairs)
    return torch.stack(tensors), sum(numbers), len(numbers)


@case(inputs=[(ROWS, 2), (ROWS, 0)])
def stacked_columns(x, n):
    """tuple(map(torch.stack, zip(*rows))), as solvers of differential equations end."""
    rows = [(x, x + 1)]
    for _ in range(n):
        rows.append((rows[-1][0] * 2, rows[-1][1] - 1))
    return tuple(map(torch.stack, tuple(zip(*rows))))


@case(inputs=[(ROWS, 2), (ROWS, 0)])
def no_rows_have_no_columns(x, n):
    """zip(*[]) is empty: unpacking it into two names raises ValueError."""
    rows = []
    for _ in range(n):
        rows.append((x, 1.5))
    return [len(column) for column in zip(*rows)]


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)], slow=True)
def columns_are_taken_at_the_call(x):
    """What is appended to the rows later is not in the columns."""
    rows = [(1, x)]
    while x.sum() > 1 and len(rows) < 4:
        x = x / 2
        rows.append((2, x))
    walk = zip(*rows)
    rows.append((3, x))
    return [len(column) for column in walk], len(rows)
