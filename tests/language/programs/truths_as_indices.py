"""Truths of Python's own as indices of tensors: all is taken, or nothing, in a dimension of its own."""

import torch

from tests.language.harness import case, noise

CUBE = noise(2, 3, 2)
NUMBERS = [(CUBE, 0), (CUBE, 1), (-CUBE, -1), (CUBE, 2)]
STEPS = [(CUBE, n) for n in range(4)]


@case(inputs=NUMBERS[:3])
def known_beside_a_number(x, n):
    """A truth that is known beside a number of run time: PyTorch selects at the number first."""
    return x[True, n], x[n, True], x[:, True, n], x[None, True, n], x[..., True, n], x[False, n, n]


@case(inputs=[(x, torch.tensor(n)) for x, n in NUMBERS], messages=False)
def known_beside_a_tensor(x, n):
    """Beside a tensor of one integer it is the same, also where that is out of range."""
    return x[True, n], x[n, ..., True], x[:, False, n - 1]


@case(inputs=NUMBERS[:3], refused="DYCL057")
def written_beside_a_number(x, n):
    """Nothing is written at both."""
    y = x + 1
    y[True, n] = 4.0  # <- refused
    return y


@case(inputs=STEPS)
def read_where_a_test_holds(x, n):
    """A truth of run time is known on a path of its own: what is read is empty on one of them."""
    return x[n > 2, 0], x[:, n > 1], x[n > 2, n < 9, 1], x[..., n == 0].sum()


@case(inputs=STEPS)
def written_where_a_test_holds(x, n):
    """All is written, or nothing: scores of the end of a sequence, by its length."""
    y = x + 1
    y[n < 1, :, 1] = -torch.inf
    y[n >= 3] = x[0]
    y[n > 1, 1] += x[n > 1, 0] * 2
    return y


@case(inputs=STEPS)
def asked_of_a_tensor(x, n):
    """It may be asked of a tensor, and be combined with another one."""
    some = bool(x[:, n % 3].sum() > 0)
    return x[some, 0], x[..., some and n > 1]


@case(inputs=STEPS)
def out_of_range_beside_a_test(x, n):
    """What stands beside it is looked at on both paths."""
    try:
        return x[n > 2, 5]
    except IndexError:
        return x[n > 1]


@case(inputs=[(CUBE, n) for n in (0, 3, 6)])
def in_a_loop(x, n):
    """In a loop of as many turns as the call says."""
    y = x * 1
    for step in range(n):
        y[step > 1, 0] += step
    return y
