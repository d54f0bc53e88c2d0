"""What a call of a module runs: hooks around its forward, a ``__call__`` of its own."""

import torch
from torch import nn

from tests.language.harness import LARGE, NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]


class Scaled(nn.Module):
    """A module whose hooks do part of the work."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.register_forward_pre_hook(self.prepare)
        self.register_forward_hook(self.clip)
        self.seen = 0

    def prepare(self, module, given):
        """Scale what is given by position."""
        return (given[0] * 2, *given[1:]) if given and given[0].sum() > 0 else None

    def clip(self, module, given, result):
        """Leave out what is small."""
        if result.abs().max() < 2:
            return None
        return result.clamp(max=2.0), len(given)

    def forward(self, x, shift=1.0, *, sign=1):
        """Compute what the hooks prepare and finish."""
        return self.layer(x + shift) * sign


@case(inputs=[*BOTH, (LARGE,), (POSITIVE / 99,)], factory=True)
def hooks_of_the_entry_module():
    """Hooks of the module that is compiled run in each call."""
    return Scaled()


@case(
    inputs=[{"x": x, "sign": -1} for x in (POSITIVE, NEGATIVE, LARGE, POSITIVE / 99)], factory=True
)
def hooks_and_arguments_by_name():
    """Hooks see the arguments that are given by position."""
    return Scaled()


@case(inputs=[*BOTH, (LARGE,)], factory=True)
def forward_without_its_hooks():
    """The method ``forward`` runs no hooks."""
    return Scaled().eval().forward


@case(inputs=[*BOTH, (LARGE,)], factory=True)
def hooks_of_an_entry_of_torch():
    """A layer of torch with hooks: its content is computed by torch, the hooks by the user."""
    layer = nn.Linear(3, 2)
    layer.register_forward_hook(lambda module, given, result: result - given[0].mean())
    return layer


class CallsItself(nn.Module):
    """A module that is called in a way of its own."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)
        self.register_forward_hook(lambda module, given, result: result + 1)

    def __call__(self, x, *, largest=False):
        """Call forward as modules do, and look at what it gives."""
        scores = super().__call__(x)
        if scores.sum() > 0:
            return scores.argmax(dim=1) if largest else scores
        return -scores

    def forward(self, x):
        """Return scores."""
        return self.layer(x)


@case(inputs=[*BOTH, (LARGE,), (-LARGE,)], factory=True)
def call_of_its_own():
    """A module's own ``__call__`` is what a call runs."""
    return CallsItself()


@case(inputs=[{"x": x, "largest": True} for x in (POSITIVE, NEGATIVE, LARGE, -LARGE)], factory=True)
def call_of_its_own_by_name():
    """A module's own ``__call__`` has parameters of its own."""
    return CallsItself()


@case(inputs=[(POSITIVE,), (LARGE,)], refused="DYCL032")
def quantised_in_between(x):
    """Quantised tensors are refused: fake tensors take them for others."""
    small = torch.quantize_per_tensor(x, 0.1, 0, torch.quint8)
    return torch.relu(small).dequantize()
