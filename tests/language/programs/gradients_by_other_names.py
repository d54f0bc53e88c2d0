"""Gradients computed in the call, whatever the function that does it is called."""

import functools

import torch
import torch.autograd as derivatives
from torch import nn
from torch.autograd import grad as derivative

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]
_TABLE = {"grad": torch.autograd.grad}


@case(inputs=BOTH)
@torch.enable_grad()
def imported_under_a_name(x):
    """grad imported as something else"""
    y = x.clone().requires_grad_()
    return derivative((y * y).sum(), y)[0]


@case(inputs=BOTH)
@torch.enable_grad()
def from_a_renamed_module(x):
    """grad of a module imported as something else"""
    y = x.clone().requires_grad_()
    return derivatives.grad((y * y).sum(), y)[0]


@case(inputs=BOTH)
@torch.enable_grad()
def from_a_table(x):
    """grad as the value of a dict, with an argument given before"""
    y = x.clone().requires_grad_()
    compute = functools.partial(_TABLE["grad"], retain_graph=True)
    return compute((y * y).sum(), y)[0]


@case(inputs=BOTH, rounds=True)
@torch.enable_grad()
def within_a_loop(x):
    """A descent whose end depends on the input"""
    y = x.detach().clone().requires_grad_(True)
    while y.sum() < 3:
        (step,) = torch.autograd.grad((y**2).sum(), [y])
        y = (y + step.abs() + 1).detach().requires_grad_(True)
    return y


class _Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)


@case(inputs=BOTH, refused="DYCL042")
class HeldBackward(_Layer):
    """The method backward, held in a variable and found by its name"""

    def forward(self, x):
        y = x.clone().requires_grad_()
        run = getattr(self.layer(y).sum(), "back" + "ward")
        run()  # <- refused
        return x + 1  # never


@case(inputs=BOTH, refused="DYCL045")
class UnboundBackward(_Layer):
    """backward of the class of tensors"""

    def forward(self, x):
        torch.Tensor.backward(self.layer(x).sum())  # <- refused
        return x + 1  # never


@case(inputs=BOTH, rounds=True)
class DerivedFunction(_Layer):
    """torch.func.grad of a lambda, mapped over the rows"""

    def forward(self, x):
        return torch.vmap(torch.func.grad(lambda row: self.layer(row).sum()))(x)


@case(inputs=BOTH)
def forward_derivative(x):
    """Derivatives along a direction, which need no backward pass, are computed"""
    value, along = torch.func.jvp(torch.sin, (x,), (torch.ones_like(x),))
    return value, along
