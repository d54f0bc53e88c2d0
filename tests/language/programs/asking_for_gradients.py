"""requires_grad_ and retain_grad compute nothing, but what they change can be seen."""

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


@case(inputs=BOTH, refused="DYCL042")
def asked_after(x):
    """A tensor that asks for gradients says so."""
    y = (x * 2).requires_grad_()
    asks = y.requires_grad  # <- refused
    return x + 1 if asks else x + 2  # known


@case(inputs=BOTH, refused="DYCL042")
def asked_after_one_arm(x):
    """It may ask in one arm alone."""
    y = x * 2
    if x.sum() > 0:
        y.requires_grad_()
    asks = y.requires_grad  # <- refused
    return x + 1 if asks else x + 2


@case(inputs=BOTH)
def switched_off(x):
    """Without gradients it stays as it was."""
    y = (x * 2).requires_grad_(False)
    return x + 1 if y.requires_grad else x + 2  # known


@case(inputs=BOTH, refused="DYCL042")
def made_with_gradients(x):
    """What makes tensors can be told to ask, also without a mode for gradients."""
    with torch.no_grad():
        y = torch.ones_like(x, requires_grad=True)
    asks = y.requires_grad  # <- refused
    return x + 1 if asks else x + 2  # known


@case(inputs=BOTH, refused="DYCL042")
def from_a_pass_on(x):
    """The second pass of a loop sees what the first has changed."""
    y = x * 2
    n = 0
    while x.sum() < 10:
        x = x + 3
        if y.requires_grad:  # <- refused
            n += 1
        y.requires_grad_()
    return x, n


@case(inputs=BOTH)
def made_in_each_pass(x):
    """States of a loop are made as training wants them."""
    while x.sum() < 10:
        state = x.new(2, 3).fill_(1.0).requires_grad_()
        x = x + state * torch.ones(3, requires_grad=True)
    return x


@case(inputs=BOTH)
def made_where_a_recursion_ends(x):
    """The leaves of a tree begin with states that ask for gradients."""

    def climb(y):
        if y.sum() > 10:
            return y.detach().new(2, 3).fill_(0.0).requires_grad_()
        return climb(y + 2) + y

    return climb(x)


@case(inputs=BOTH)
def only_computed_with(x):
    """Nobody asks: the numbers are the same."""
    y = (x * 2).requires_grad_()
    return y * torch.ones(3).requires_grad_() if x.sum() > 0 else y


@case(inputs=BOTH, slow=True)
def of_integers(x):
    """Integers have no gradients: an error that the caller may catch."""
    try:
        (x * 2).long().requires_grad_()
    except RuntimeError:
        return x + 3
    return x + 1  # never


@case(inputs=BOTH)
def kept_without_any(x):
    """A tensor without gradients cannot keep them."""
    try:
        (x * 2).retain_grad()
    except RuntimeError:
        return x + 3
    return x + 1  # never


@case(inputs=BOTH, refused="DYCL042")
class KeptOfALayer(nn.Module):
    """A layer's result keeps gradients, or raises: the caller's mode decides."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        y = self.layer(x)
        y.retain_grad()  # <- refused
        return y  # never


class _Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("buffer", torch.ones(3))
        self.weight = nn.Parameter(torch.ones(3))


@case(inputs=BOTH, refused="DYCL042")
class OfABuffer(_Weighted):
    """A tensor of the model keeps the flag for the next call."""

    def forward(self, x):
        return self.buffer.requires_grad_() + x  # <- refused


@case(inputs=BOTH)
class OfAParameter(_Weighted):
    """Nothing changes where the flag is as it was."""

    def forward(self, x):
        return self.weight.requires_grad_(True) + x


@case(inputs=BOTH, refused="DYCL042")
def asked_by_its_attribute(x):
    """Writing the flag is the same as the method."""
    y = x * 2
    y.requires_grad = True
    asks = y.requires_grad  # <- refused
    return x + 1 if asks else x + 2  # known


@case(inputs=BOTH)
def integers_by_the_attribute(x):
    """Integers have no gradients, however they are asked for."""
    y = (x * 2).long()
    try:
        y.requires_grad = True
    except RuntimeError:
        return x + 3
    return x + 1  # never


@case(inputs=BOTH)
class WrittenAsItWas(_Weighted):
    """A parameter is frozen where it was made and thawed where it is used, by habit."""

    def forward(self, x):
        self.weight.requires_grad = True
        y = self.weight * x
        y.requires_grad = False
        return y + 1 if x.sum() > 0 else y


@case(inputs=BOTH, refused="DYCL042")
class Frozen(_Weighted):
    """The next call would see it."""

    def forward(self, x):
        self.weight.requires_grad = False  # <- refused
        return self.weight * x


@case(inputs=BOTH, refused="DYCL042")
def asked_with_a_number(x):
    """PyTorch raises: a flag is True or False."""
    y = x * 2
    y.requires_grad = 1  # <- refused
    return y  # never


@case(inputs=BOTH)
def asked_at_run_time(x):
    """The flag may be known at run time only."""
    y = x * 2
    y.requires_grad = x.sum().item() > 0
    return y + 1
