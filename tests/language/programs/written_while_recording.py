"""Writes in place under `torch.enable_grad()`: what PyTorch lets nobody write while it records."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]
ROWS = [(MIXED, 0), (MIXED, 1), (MIXED, -1)]


@case(inputs=BOTH, refused="DYCL045")
@torch.enable_grad()
def a_leaf_without_gradients(x):
    """PyTorch raises, also where the call computes no gradient."""
    y = x.clone().requires_grad_()
    y.add_(1)  # <- refused


@case(inputs=BOTH, refused="DYCL045")
def asked_before_the_mode(x):
    """What asked for gradients outside of it asks within, too."""
    y = x.clone().requires_grad_()
    with torch.enable_grad():
        y[0] = 1.0  # <- refused


@case(inputs=BOTH, refused="DYCL045")
def asked_on_one_path(x):
    """A tensor that has asked on one of the paths that have met may be such a one."""
    y = x.clone()
    if x.sum() > 0:
        y.requires_grad_()
    with torch.enable_grad():
        y.add_(1)  # <- refused
    return y


@case(inputs=[(POSITIVE, 1), (POSITIVE, 0), (POSITIVE, 3)], refused="DYCL045")
def asked_in_the_turn_before(x, n: int):
    """What a turn of a loop gives the next one asks there."""
    y = x.clone()
    for _ in range(n):
        with torch.enable_grad():
            y.add_(1)  # <- refused
        y = (y * 2).requires_grad_()
    return y


@case(inputs=BOTH, refused="DYCL045")
@torch.enable_grad()
def a_view_of_a_leaf(x):
    """A view of it asks as well."""
    y = x.clone().requires_grad_()
    rows = y[:1]
    rows.mul_(2)  # <- refused


@case(inputs=BOTH, refused="DYCL045")
@torch.enable_grad()
def made_asking(x):
    """A tensor may ask from the beginning."""
    y = torch.zeros(3, requires_grad=True)
    y.add_(x[0])  # <- refused


@case(inputs=BOTH)
def a_leaf_unrecorded(x):
    """Under `no_grad` it may be written."""
    with torch.enable_grad():
        y = x.clone().requires_grad_()
        with torch.no_grad():
            y.mul_(2)
        return y


@case(inputs=BOTH)
@torch.enable_grad()
def what_is_computed_of_a_leaf(x):
    """What was computed of a leaf may be written, and its views."""
    y = x.clone().requires_grad_()
    z = y * 2
    z.add_(1)
    z[0].mul_(3)
    z.view(-1)[2:].clamp_(0, 1)
    return z.detach()


@case(inputs=BOTH, rounds=True)
@torch.enable_grad()
def views_of_what_is_detached(x):
    """A view of a detached tensor asks for nothing, whatever that lies over."""
    y = x.clone().requires_grad_()
    loose = y.detach()
    rows = loose[:1]
    rows[0].add_(1)
    rows.view(-1).mul_(2)
    return torch.autograd.grad((y * y).sum(), y)[0]


@case(inputs=BOTH, rounds=True)
@torch.enable_grad()
def clamped_by_rows(x):
    """Steps against the gradient, kept within bounds."""
    y = x.clone()
    for _ in range(3):
        y = y.detach()
        y[:1].clamp_(0, 1)
        y.requires_grad_()
        (slope,) = torch.autograd.grad((y * y).sum(), y)
        y.detach()[1:].sub_(slope[1:])
    return y.detach()


@case(inputs=BOTH, refused="DYCL045")
@torch.enable_grad()
def detached_and_asking_again(x):
    """What was detached may ask for gradients of its own."""
    y = x.clone().requires_grad_()
    loose = y.detach().requires_grad_()
    loose[1:].add_(1)  # <- refused


class _Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 4)


@case(inputs=BOTH, refused="DYCL045")
class HalvesWritten(_Layer):
    """PyTorch lets nobody write one of several views that one operation gave"""

    @torch.enable_grad()
    def forward(self, x):
        left, right = self.layer(x).chunk(2, dim=-1)
        left.add_(1)  # <- refused


@case(inputs=BOTH, refused="DYCL045")
class RowsWalkedAndWritten(_Layer):
    """The rows of a tensor that is walked are such views"""

    @torch.enable_grad()
    def forward(self, x):
        y = self.layer(x)
        for row in y:
            row.add_(1)  # <- refused


@case(inputs=BOTH)
@torch.enable_grad()
def halves_without_gradients(x):
    """Where no gradients are asked for, they may be written."""
    y = x * 2
    top, rest = y.chunk(2)
    top.add_(1)
    for row in rest:
        row.mul_(2)
    return y


@case(inputs=BOTH, refused="DYCL045")
class ViewFromBefore(_Layer):
    """A view that was made without recording cannot be written with what is recorded"""

    def forward(self, x):
        y = torch.zeros(2, 4)
        row = y[1]
        with torch.enable_grad():
            row.add_(self.layer(x)[0])  # <- refused


@case(inputs=BOTH)
class FilledWhileRecording(_Layer):
    """A tensor made without gradients takes what has some"""

    @torch.enable_grad()
    def forward(self, x):
        y = torch.zeros(2, 4)
        for i in range(2):
            y[i] = self.layer(x[i])
        return y.detach()


@case(inputs=ROWS, refused="DYCL045")
@torch.enable_grad()
def a_chosen_row_is_dead(x, i: int):
    """What a derivative needs of a row was written, as the tensor was, by another name."""
    w = x[0].clone().requires_grad_()
    y = x.clone() * w
    energy = (y[i] * y[i]).sum()
    y[0] = w
    return torch.autograd.grad(energy + y.sum(), w)[0]  # <- refused


@case(inputs=ROWS, refused="DYCL045")
@torch.enable_grad()
def a_chosen_row_is_scaled(x, i: int):
    """So is a view of such a row."""
    w = x[0].clone().requires_grad_()
    y = x.clone() * w
    energy = (y[i].view(-1) * w).sum()
    y.mul_(2)
    return torch.autograd.grad(energy + y.sum(), w)[0]  # <- refused


@case(inputs=ROWS, rounds=True)
@torch.enable_grad()
def a_chosen_row_of_which_nothing_is_kept(x, i: int):
    """The derivative of a product with a number needs nothing of the row."""
    w = x[0].clone().requires_grad_()
    y = x.clone() * w
    energy = (y[i] * 2).sum() + y[:, i].exp().sum()
    y[0] = w
    return torch.autograd.grad(energy + y.sum(), w)[0]


@case(inputs=ROWS, rounds=True)
@torch.enable_grad()
def a_chosen_row_written_before(x, i: int):
    """A row is as it was written."""
    w = x[0].clone().requires_grad_()
    y = x.clone() * w
    y[i] = w * 2
    row = y[i]
    row.add_(w)
    return torch.autograd.grad((row * row).sum() + y.sum(), w)[0]


@case(inputs=BOTH)
class PiecesOfPlaces(nn.Module):
    """Integers and truths never ask for gradients, nor do their parts"""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 4)

    @torch.enable_grad()
    def forward(self, x):
        scores = self.layer(x.flatten()[:3])
        first, second = scores.argsort().split(2)
        first.add_(1)
        second[0] = 7
        marks = scores > 0
        for mark in marks.unbind():
            mark.logical_not_()
        return first, second, marks


@case(inputs=BOTH, refused="DYCL045")
class ViewsMadeWithoutRecording(nn.Module):
    """A view of what a layer gave asks for gradients, wherever it is made."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 4)

    @torch.enable_grad()
    def forward(self, x):
        scores = self.layer(x.flatten()[:3]) * 1
        with torch.no_grad():
            part = scores[:1]
        part.add_(1)  # <- refused
