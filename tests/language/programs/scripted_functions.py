"""Functions that ``torch.jit.script`` compiles: Python never runs their lines."""

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


@case(inputs=CUT, refused="DYCL031")
def content_chooses(x, n):
    """Compiled code that looks at what a tensor holds: its errors on nothing are not eager's"""
    if n == 1:
        return turned(x)  # <- refused
    if n == 2:
        return checked(x)  # <- refused
    return x
