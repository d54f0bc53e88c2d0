"""Rows of tensors whose number of rows is known only at run time: walked, unpacked, collected."""

import torch
import torch.nn.functional as F

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case, noise

FOUR = [(MIXED,), (POSITIVE,), (NEGATIVE,), (ZERO,)]


@case(inputs=FOUR)
def collected(x):
    """A list comprehension over rows."""
    return [row.sum() * 2 for row in x[x.sum(1) > 0]]


@case(inputs=FOUR)
def collected_numbers(x):
    """Numbers of rows, filtered and summed."""
    numbers = [row.sum().item() for row in x[x.sum(1) > 0] if row.max() > 2]
    return sum(numbers), len(numbers)


@case(inputs=FOUR)
def stacked_again(x):
    """Rows that are computed one by one, and stacked."""
    rows = [F.softmax(row, dim=0) for row in x[x.sum(1) > 0]]
    if not rows:
        return x
    return torch.stack(rows)


@case(inputs=FOUR, messages=False)
def unpacked(x):
    """Two targets for the rows: ValueError where there are not two."""
    first, second = x[x.sum(1) > 0]
    return first - second


@case(inputs=FOUR, messages=False)
def unbound(x):
    """unbind gives a tuple of as many."""
    first, second = x[x.sum(1) > 0].unbind()
    return first + second


@case(inputs=FOUR)
def listed(x):
    """list() of rows, indexed and measured."""
    rows = list(x[x.sum(1) > 0])
    if len(rows) > 1:
        return rows[1] - rows[0]
    return x.sum(0)


@case(inputs=FOUR)
def zipped(x):
    """Rows and numbers walked side by side."""
    chosen = x[x.sum(1) > 0]
    total = torch.zeros(3)
    for weight, row in zip(chosen.sum(1), chosen):
        total = total + weight * row
    return total


@case(inputs=FOUR)
def enumerated_and_reversed(x):
    """enumerate, and the rows from the last to the first by flip."""
    total = torch.zeros(3)
    for index, row in enumerate(x[x.sum(1) > 0].flip(0)):
        total = total * 2 + row + index
    return total


@case(inputs=FOUR)
def mapped(x):
    """map over rows."""
    return list(map(lambda row: row * row.sum(), x[x.sum(1) > 0]))


@case(inputs=FOUR)
def any_row(x):
    """any over a generator of rows."""
    return any((row > 1).all().item() for row in x[x.sum(1) > 0])


@case(inputs=FOUR)
def columns_written(x):
    """Columns of such rows, and parts of columns, written in place."""
    chosen = x[x.sum(1) > 0]
    for column in chosen.unbind(1)[1:]:
        column.add_(2).mul_(column)
    first, *_ = torch.unbind(chosen, dim=-1)
    torch.mul(chosen[:, 1].clone(), 3, out=first)
    return chosen, first


@case(inputs=FOUR)
def unbound_and_walked_twice(x):
    """What unbind gives is a tuple, not an iterator: it is walked again, and measured."""
    rows = x[x.sum(1) > 0].unbind()
    total = x.sum(0)
    for row in rows:
        total = total + row
    for row in rows:
        total = total * 0.5 + row
    return total, len(rows)


@case(inputs=FOUR, messages=False)
def unbound_and_indexed(x):
    """It is indexed, cut and returned, and is a tuple to whoever asks."""
    rows = x[x.sum(1) > 0].unbind(0)
    if len(rows) > 1:
        return rows[1:], isinstance(rows, tuple)
    return rows[0], len(x[:, 0].unbind())


@case(inputs=FOUR)
def unbound_by_the_function(x):
    """torch.unbind gives what the method gives, by whatever names its arguments have."""
    chosen = x[x.sum(1) > 0]
    total = x.sum(0)
    for row in torch.unbind(chosen):
        total = total * 0.5 + row
    rows = torch.unbind(dim=-2, input=chosen)
    return total, len(rows), torch.unbind(chosen, 1)[0]


@case(inputs=FOUR)
def unbound_beside_its_rest(x):
    """Rows and those that follow, side by side; rows from the last one on."""
    chosen = x[x.sum(1) > 0]
    total = x.sum(0)
    for row, following in zip(chosen.unbind(0), chosen.unbind(0)[1:], strict=False):
        total = total + row * following
    for row in reversed(chosen.unbind(0)):
        total = total * 0.5 - row
    return total


@case(inputs=FOUR)
def unbound_in_a_comprehension(x):
    """A comprehension walks what unbind gives; so does one within."""
    chosen = x[x.sum(1) > 0]
    return [part * row.sum() for row in chosen.unbind() for part in row.unbind()]


@case(inputs=FOUR, refused="DYCL039")
def unbound_and_asked_for_the_next(x):
    """A tuple has no next item, which eager says by an error."""
    return next(x[x.sum(1) > 0].unbind())  # <- refused
