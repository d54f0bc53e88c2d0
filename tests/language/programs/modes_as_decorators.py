"""`torch.no_grad()` and the like as decorators of functions that the program defines."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

ROWS = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


@case(inputs=ROWS)
def no_grad_over_a_function(x):
    """A function under `@torch.no_grad()` tests run-time values, and knows the mode."""

    @torch.no_grad()
    def halved(value, by=2.0):
        if value.sum() > 0:
            return value / by, torch.is_grad_enabled()
        return value, torch.is_grad_enabled()

    return halved(x), halved(x, by=4.0), halved.__name__


@case(inputs=ROWS)
def without_parentheses(x):
    """`@torch.no_grad` is the same; `enable_grad` inside of it ends it for a while."""

    @torch.no_grad
    def outer(value):
        @torch.enable_grad()
        def inner():
            return torch.is_grad_enabled()

        return value * 2, inner(), torch.is_grad_enabled()

    return outer(x) if x.sum() > 0 else outer(-x)


@case(inputs=ROWS)
class ModeOverALambda(nn.Module):
    """A mode applied to a lambda, once made and called twice."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x):
        frozen = torch.inference_mode()(lambda value: self.layer(value))
        return frozen(x) if x.max() > 1 else frozen(frozen(x).sum() + x)


@torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float32)
def _scaled(points, size=None):
    if size is None:
        size = 1 + points.max(-1).values
    return points / size.max()


@torch.amp.custom_fwd(device_type="cpu")
def _sure(points):
    return points * 2 if points.sum() > 0 else points


@case(inputs=ROWS)
def outside_of_autocasting(x):
    """`custom_fwd` casts nothing outside of a region of autocasting."""
    with torch.autocast("cuda", enabled=False):
        scaled = _scaled(x.abs())
    return scaled, _sure(x), _scaled(x, x.abs() + 1)
