"""What tensors that surely require no gradients say of them, whatever the caller's mode is."""

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH)
def written_in_place(x):
    """They are written in place, by elements and as a whole."""
    y = torch.zeros(2, 3)
    y[..., 0] = x[..., 1]
    y += x
    return x + 1 if y.requires_grad else x - y  # known


@case(inputs=BOTH)
def written_through_a_view(x):
    """They are written by a view of them."""
    y = torch.zeros(2, 3)
    row = y[0]
    row += x[1]
    return y, y.requires_grad, row.is_leaf


@case(inputs=BOTH)
def stored_as_parameters(x):
    """grad_fn tells whether a tensor was computed with gradients."""
    y = x.sum(0)
    return y * 2 if y.grad_fn is None and not y.requires_grad else y  # known


class _Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        self.register_buffer("scale", torch.ones(3))


@case(inputs=BOTH)
class OfTheModel(_Weighted):
    """Parameters and buffers say it, too."""

    def forward(self, x):
        told = self.weight.is_leaf, self.scale.requires_grad, self.weight.grad_fn is None
        return x * self.weight + self.scale, told


@case(inputs=BOTH)
class WithoutAMode(_Weighted):
    """A weight is added without gradients."""

    def forward(self, x):
        y = x * 2
        with torch.no_grad():
            y += self.weight
        return y, y.requires_grad


@case(inputs=BOTH, refused="DYCL042")
class WithAWeight(_Weighted):
    """A weight is added: the caller's mode decides."""

    def forward(self, x):
        y = x * 2
        y += self.weight
        return y, y.requires_grad  # <- refused


@case(inputs=BOTH, refused="DYCL042")
class WithAWeightByAView(_Weighted):
    """A weight is added to a part."""

    def forward(self, x):
        y = torch.zeros(2, 3)
        row = y[0]
        row += self.weight * x[0]
        return y, y.grad_fn is None  # <- refused


@case(inputs=BOTH, refused="DYCL042")
class FromAPassOn(_Weighted):
    """The second pass of a loop sees what the first has added."""

    def forward(self, x):
        y = x * 1
        n = 0
        while y.sum() < 20:
            asks = y.requires_grad  # <- refused
            n += int(asks)
            y += self.weight
        return y, n
