"""Functions that ``torch.jit.script`` compiles: Python never runs their lines."""

import functools
from typing import NamedTuple, Optional

import torch

from tests.language.harness import case, noise

WIDE = noise(1, 4, 5)
CUT = [(WIDE, 2), (-WIDE, 0), (WIDE, 1), (WIDE, 7)]


@torch.jit.script
def gated(one, other, channels):
    n = channels[0]  # never
    both = one + other  # never
    return torch.tanh(both[:, :n, :]) * torch.sigmoid(both[:, n:, :])  # never


@torch.jit.script
def turned(x):
    if x.sum() > 0:  # never
        return x * 2  # never
    return -x  # never


@torch.jit.script
def checked(x):
    assert bool(x.sum() > 0)  # never
    return x * 2  # never


@torch.jit.script
def doubled(x, twice: bool):
    if twice:  # never
        return x * 2  # never
    return x  # never


@case(inputs=CUT)
def a_gate_of_any_length(x, n):
    """A straight line of operations, evaluated as it is written where sizes are open"""
    part = x[:, :, :n]
    channels = torch.IntTensor([2])
    return gated(part, torch.zeros_like(part), channels), gated(other=x, one=x, channels=channels)


@case(inputs=CUT)
def a_flag_chooses(x, n):
    """What a number decides in compiled code, at fixed sizes"""
    return doubled(x, True) + doubled(x, False) * n


@case(inputs=CUT)
def content_chooses(x, n):
    """What a tensor holds decides in compiled code"""
    return turned(x) if n == 1 else x


@case(inputs=CUT, refused="DYCL031")
def content_is_checked(x, n):
    """Compiled code that asserts raises an error of its own"""
    if n == 2:
        return checked(x)  # <- refused
    return x


@torch.jit.script
def snake(x, alpha):
    shape = x.shape  # never
    x = x.reshape(shape[0], shape[1], -1)  # never
    x = x + (alpha + 1e-9).reciprocal() * torch.sin(alpha * x).pow(2)  # never
    return x.reshape(shape)  # never


@torch.jit.script
def shifted(x: torch.Tensor):
    b, q, k = x.shape  # never
    x = torch.nn.functional.pad(x, [1, 0])  # never
    return x.view(b, k + 1, q)[:, 1:].view(b, q, k)  # never


@torch.jit.script
def biased(x: torch.Tensor, bias: Optional[torch.Tensor], scale: float = 0.5, center: bool = False):
    if bias is not None:  # never
        x = x + bias  # never
    half = x.size(2) // 2  # never
    if bool(x.sum() > 5):  # never
        half = half * 1 + 1 - 1  # never
    if center and half > 0:  # never
        x = x - x[:, :, :half].mean()  # never
    return x * scale  # never


@case(inputs=CUT)
def numbers_of_sizes(x, n):
    """Compiled code counts with sizes, calls F, and has arguments that are None, at open sizes"""
    part = x[:, :, n:]
    if part.size(2) == 0:
        return None
    turned_around = shifted(part @ part.transpose(1, 2))
    given = biased(part, None), biased(part, part, center=True), biased(scale=2.0, bias=None, x=part)
    return snake(part, torch.ones(1, 4, 1)), turned_around, given


@torch.jit.script
def halved(x: torch.Tensor, limit: float, most: int):
    steps = 0  # never
    while float(x.abs().max()) > limit:  # never
        if steps >= most:  # never
            break  # never
        x = x * 0.5  # never
        steps += 1  # never
    for _ in range(steps):  # never
        x = torch.tanh(x)  # never
    return x, steps  # never


@case(inputs=[(WIDE, 1.0, 9), (-WIDE, 0.1, 9), (WIDE * 90, 0.1, 3), (WIDE, 9.0, 9)])
def content_and_numbers_choose(x, limit, most):
    """Loops of compiled code that end by what a tensor holds, and by numbers of run time"""
    y, steps = halved(x, limit, most)
    return y if steps > 1 else x, steps


@torch.jit.script
def wraps(x: torch.Tensor):
    n = int(x.sum()) + 9223372036854775807  # never
    return x * 2, n  # never


@torch.jit.script
def rounds(x: torch.Tensor):
    y = x.mean()  # never
    return x * 2, round(float(y))  # never


@torch.jit.script
def doubles(x: torch.Tensor):
    n = 1  # never
    while bool(x.sum() > n):  # never
        n = n + n  # never
    return n  # never


@case(inputs=CUT, refused="DYCL031")
def integers_of_64_bits(x, n):
    """Compiled code computes with integers that may wrap, and rounds in a way of its own"""
    if n == 0:
        return wraps(x)  # <- refused
    if n == 1:
        return rounds(x)
    return doubles(x)


@torch.jit.script
def tells(x: torch.Tensor):
    if torch.jit.is_scripting() and bool(x.sum() > 0):  # never
        return x + 1  # never
    return x  # never


@torch.jit.script
def inner(x: torch.Tensor):
    return tells(x) if bool(x.sum() > 0) else x  # never


@case(inputs=CUT, refused="DYCL031")
def asks_how_it_runs(x, n):
    """Compiled code that asks whether it is compiled, and that calls other code of the program"""
    return tells(x) if n > 1 else inner(x)  # <- refused


@torch.jit.script
def divided(x: torch.Tensor, by: int):
    return (x * (x.size(2) / by) if bool(x.sum() > 0) else x)  # never


@torch.jit.script
def as_float(x: torch.Tensor, by: float):
    return x * by if bool(x.sum() > 0) else x  # never


@case(inputs=CUT, refused="DYCL031")
def numbers_are_converted(x, n):
    """Compiled code divides integers, or gets an integer for a float"""
    return divided(x, 2) + as_float(x, n)  # <- refused


@torch.jit.script
def with_shape(x: torch.Tensor):
    return (x * 2, x.shape) if bool(x.sum() > 0) else (x, x.shape)  # never


@case(inputs=CUT, refused="DYCL031")
def sizes_are_lists(x, n):
    """What compiled code gives for a size is a list"""
    return with_shape(x), n  # <- refused


asks_by_another_name = torch.jit.is_scripting


@torch.jit.script
def tells_too(x: torch.Tensor):
    if asks_by_another_name() and bool(x.sum() > 0):  # never
        return x + 1  # never
    return x  # never


activation = torch.relu


def with_ten(function):
    @functools.wraps(function)  # never
    def added(x):  # never
        return function(x) + 10  # never

    return added  # never


@torch.jit.script
@with_ten
def decorated(x: torch.Tensor):
    return x * 2 if bool(x.sum() > 0) else x  # never


@torch.jit.script
def activated(x: torch.Tensor):
    return activation(x) if bool(x.sum() > 0) else x  # never


@case(inputs=CUT, refused="DYCL031")
def compiled_from_something_else(x, n):
    """Compiled code that asks how it runs by another name, leaves decorators out, and keeps what names were"""
    if n == 0:
        return tells_too(x)  # <- refused
    if n == 1:
        return decorated(x)
    return activated(x)


activation = torch.tanh


@torch.jit.script
def activated_again(x: torch.Tensor):
    return activation(x) if bool(x.sum() > 0) else x  # never


@case(inputs=CUT)
def keeps_what_names_are(x, n):
    """Compiled code whose names are what they were"""
    return activated_again(x), n


@torch.jit.script
def hashed(x: torch.Tensor, seed: int):
    large = seed * 6364136223846793005 + 1442695040888963407  # never
    return x * (large % 7) if bool(x.sum() > 0) else x  # never


@torch.jit.script
def counts_far(x: torch.Tensor):
    n = 1  # never
    for _ in range(2):  # never
        n = n + 9223372036854775807  # never
    return x * n if bool(x.sum() > 0) else x  # never


@torch.jit.script
def scaled_by(x: torch.Tensor, n: int):
    return x * (n * 4 % 7) if bool(x.sum() > 0) else x  # never


@case(inputs=CUT, refused="DYCL031")
def large_constants(x, n):
    """Compiled code computes with constants that are larger than sizes"""
    if n == 0:
        return hashed(x, 3)  # <- refused
    if n == 1:
        return counts_far(x)
    return scaled_by(x, 2**62 + 1)


@torch.jit.script
def walks_and_grows(x: torch.Tensor):
    found = [x]  # never
    for each in found:  # never
        if len(found) < 4:  # never
            found.append(each * 2)  # never
    return torch.stack(found) if bool(x.sum() > 0) else x  # never


@case(inputs=CUT, refused="DYCL031")
def list_that_grows_while_walked(x, n):
    """Compiled code asks for the length of a list once, before a loop"""
    return walks_and_grows(x), n  # <- refused


@torch.jit.script
def walks_and_gathers(x: torch.Tensor):
    found = [x]  # never
    for each in x.unbind(1):  # never
        found.append(each[:, None] + x if bool(each.sum() > 0) else x)  # never
    return torch.stack(found)  # never


@case(inputs=CUT)
def list_beside_one_that_is_walked(x, n):
    """Compiled code walks one list and lets another one grow"""
    return walks_and_gathers(x), n


class Pair(NamedTuple):
    one: torch.Tensor
    other: torch.Tensor


@torch.jit.script
def paired(x: torch.Tensor):
    return Pair(x, x * 2) if bool(x.sum() > 0) else Pair(x, x)  # never


@case(inputs=CUT, refused="DYCL031")
def tuple_with_names(x, n):
    """Compiled code gives tuples with names of a class of its own"""
    pair = paired(x)  # <- refused
    return pair.one, isinstance(pair, Pair), n


@torch.jit.script
def compared_with_itself(x: torch.Tensor):
    total = float(x.sum())  # never
    return x + 1 if total != total else x * (2 if total > 3 else 1)  # never


@case(inputs=CUT, refused="DYCL031")
def not_a_number_compared(x, n):
    """Compiled code takes two numbers that are one for equal, without a look at them"""
    return compared_with_itself(x), n  # <- refused
