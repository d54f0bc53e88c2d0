"""Numbers of run time and tensors of small integer types, with and without dimensions."""

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]
NUMBERS = [(POSITIVE, 3), (MIXED, -7), (NEGATIVE, 2**40 + 1), (MIXED, 300), (POSITIVE, -(2**31))]


@case(inputs=NUMBERS)
def with_one_element(x, n):
    """Operators on a tensor without dimensions: the number wraps as PyTorch wraps it."""
    k = (x > 0).sum().to(torch.int32) + torch.tensor(1, dtype=torch.int32)
    return (
        n + k, k - n, n - k, k * n, k // n, n // k, k % n, k == n, n != k, k < n, n <= k,
        k & n, n | k, k ^ n, (k + n).item(), (n > k).item(),
    )  # fmt: skip


@case(inputs=NUMBERS)
def divided(x, n):
    """A quotient is made of the number as it is."""
    k = (x > 0).sum().to(torch.int32) + 1
    return k / n, k.to(torch.uint8) / n, (x > 0).sum(1).to(torch.int8) / n


@case(inputs=NUMBERS)
def smaller_types(x, n):
    """The same of bytes, signed and not, alone and in rows."""
    signed = (x > 0).sum().to(torch.int8)
    plain = (x > 0).sum(1).to(torch.uint8)
    return signed + n, n - signed, signed < n, plain + n, n - plain, plain == n, plain[0] * n


@case(inputs=ROWS)
def counted_up(x):
    """A loop counts until a tensor of int32 is reached; the test is one of PyTorch's."""
    limit = (x > 0).sum().to(torch.int32)
    step = 0
    while step < limit:
        x = x + step
        step += 1
    if limit > 3:
        limit += step
    return x, step, limit


@case(inputs=ROWS)
def truths(x):
    """A truth of run time counts as 0 or 1."""
    flag = bool(x.sum() > 0)
    k = (x > 0).sum().to(torch.int32)
    return k + flag, flag * k, k == flag, (x > 0).sum(1).to(torch.uint8) + flag, x.half() * flag


@case(inputs=ROWS, refused="DYCL030")
def minus_a_truth(x):
    """PyTorch subtracts no truths from tensors: it raises."""
    flag = bool(x.sum() > 0)
    return x - flag  # <- refused


@case(inputs=ROWS, slow=True)
def adaptive_steps(x):
    """A solver whose step follows an error: times are tensors without dimensions and numbers."""
    time, end, step = torch.tensor(0.0), 1, torch.tensor(0.4)
    taken = torch.tensor(0, dtype=torch.int32)
    rejected = 0
    while time < end:
        step = torch.minimum(step, end - time)
        slope = -x
        full = x + step * slope
        half = x + step / 2 * slope
        error = (half - step / 2 * half - full).abs().max()
        if error < 0.05 * (rejected + 1):
            x, time = full, time + step
            taken = taken + 1
        else:
            rejected += 1
        step = step * (0.9 * (0.05 / error) ** 0.5).clamp(0.2, 2.0)
    return x, time, taken, rejected


@case(inputs=ROWS, refused="DYCL030")
def by_a_method(x):
    """A method of a tensor without dimensions that is given a number."""
    k = (x > 0).sum().to(torch.int32)
    n = int(x.sum())
    return k.add(n)  # <- refused


@case(inputs=ROWS, slow=True)
def halves(x):
    """PyTorch computes with the number as it is, and rounds to half precision afterwards."""
    n = int(x.sum())
    return x.half() * n


@case(inputs=[*ROWS, (torch.zeros(2, 3),)])
def truths_in_bytes(x):
    """What is true of bytes is a byte again: a loop goes on while any element is to be worked on."""
    count = 0
    while (x > 1).byte().any():
        x = x - 1
        count += 1
    bits = (x > 0).byte()
    return count, bits.any(), bits.all(), bits.any(dim=1), bits.all(dim=1), (x > 0).all(), x.all()
