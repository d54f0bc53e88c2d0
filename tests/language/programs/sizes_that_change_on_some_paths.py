"""Sizes and counters in loops that change together in some iterations, and not in others."""

import torch

from tests.language.harness import case

COUNTED = [(torch.full((4,), n / 4),) for n in (5, 0, 1, 2, 3, 8)]


@case(inputs=COUNTED)
def counted_on_one_path(x):
    """a counter that goes by one where the loop's does, but in every second iteration only"""
    rows, count, found = x, 0, x.sum()
    for step in range(int(x.sum())):
        if step % 2:
            rows = torch.cat([rows, rows[:1]])
            count = count + 1
        if rows.shape[0] == count + 4:  # known
            found = found + 1
        if rows.shape[0] == step + 4:
            found = found + 10
    return found, rows, count


@case(inputs=COUNTED)
def doubled_apart(x):
    """a tensor and a number that double together, and one of them alone"""
    rows, other, size, found = x, x.clone(), 4, x.sum()
    for step in range(int(x.sum())):
        if rows.shape[0] == other.shape[0]:  # known
            found = found + (rows * other).sum()
        if x[0] * step > 2:
            rows, other, size = torch.cat([rows, rows]), torch.cat([other, other]), size * 2
        elif step == 1:
            size = size * 2
        if rows.shape[0] == size:
            found = found + 100
    return found, rows, other, size


@case(inputs=COUNTED)
def grown_once(x):
    """a tensor grows by a row in one iteration, another one doubles in another"""
    rows, other, found = x, x.clone(), x.sum()
    for step in range(int(x.sum())):
        if rows.shape[0] == other.shape[0]:
            found = found + (rows * other).sum()
        else:
            found = found - rows.sum()
        if step == 1:
            rows = torch.cat([rows, rows])
        if step == 2:
            other = torch.cat([other, other[:1]])
    return found, rows, other
