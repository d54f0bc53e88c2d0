"""torch.stack and torch.cat of lists of run-time length, whose tensors are alike or are not."""

import torch
from tests.language.harness import case

X = torch.arange(6.0).reshape(2, 3) / 5
COUNTS = [(X, 3), (X, 1), (X, 0), (X, 6)]


@case(inputs=COUNTS)
def stacked_along_each_dimension(x, n):
    """torch.stack(rows, dim)"""
    rows = []
    for i in range(n):
        x = torch.tanh(x + i)
        rows.append(x)
    first, inner = torch.stack(rows), torch.stack(rows, dim=1)
    return first, inner.mean(1), torch.stack(tuple(rows), -1), first.argmax(), len(rows)


@case(inputs=COUNTS)
def concatenated_along_each_dimension(x, n):
    """torch.cat(rows, dim), whose result has memory of its own"""
    rows = []
    for i in range(n):
        x = torch.tanh(x + i)
        rows.append(x)
    down, across = torch.cat(rows), torch.concat(rows, dim=-1)
    down += 1
    return down, across, rows[0], down.shape[0], across.shape[1]


@case(inputs=COUNTS)
def stacked_numbers_and_truths(x, n):
    """torch.stack of tensors without dimensions"""
    sums, places, truths = [], [], []
    for i in range(n):
        sums.append((x + i).sum())
        places.append((x - i).argmax())
        truths.append(x[0, 0] > i - 1)
    return torch.stack(sums), torch.stack(places) * 2, torch.stack(truths).any()


@case(inputs=COUNTS)
def transposed_tensors(x, n):
    """Tensors that do not lie row by row: the result does"""
    rows = []
    for _ in range(n):
        x = x + 1
        rows.append(x.t())
    stacked = torch.stack(rows)
    return stacked.view(-1), stacked.is_contiguous(), torch.cat(rows, 1)


@case(inputs=[(X, 2), (X, 1), (X, 0), (-X, 1)])
def numbers_are_not_concatenated(x, n):
    """torch.cat of tensors without dimensions raises, of one too"""
    sums = []
    for i in range(n):
        sums.append(x.sum() + i)
    if x.sum() < 0:
        return torch.stack(sums)
    return torch.cat(sums)


@case(inputs=[(X, 2), (X, 1), (X, 0)])
def tensors_of_several_lengths(x, n):
    """torch.cat of tensors that grow"""
    rows = []
    for _ in range(n):
        rows.append(x)
        x = torch.cat([x, x[:1] * 2])
    return torch.cat(rows)
