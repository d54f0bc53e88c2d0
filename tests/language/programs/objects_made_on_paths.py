"""Objects whose ``__init__`` goes several ways."""

from dataclasses import dataclass

import torch

from tests.language.harness import case

BOTH = [(torch.tensor([1.0, 2.0]),), (torch.tensor([-1.0, -2.0]),)]


class Sign:
    """Which of two it keeps depends on the tensor, in the last statement of ``__init__``."""

    def __init__(self, x):
        if x.sum() > 0:
            self.kept = x
        else:
            self.kept = -x


@case(inputs=BOTH)
def kept_by_both_arms(x):
    """Both arms of the last statement set an attribute."""
    return Sign(x).kept


class Early:
    """Returns early."""

    def __init__(self, x):
        self.kept = x
        if x.sum() > 0:
            return
        self.kept = -x


@case(inputs=BOTH)
def early_return(x):
    """``__init__`` returns early on some paths."""
    return Early(x).kept


class Outer:
    """Holds such an object."""

    def __init__(self, x):
        self.first = x + 1
        self.inner = Sign(Early(x).kept - 1.5)


@case(inputs=BOTH)
def made_within(x):
    """An object is made while another one is."""
    made = [Outer(x), Outer(-x)]
    return [(each.first, each.inner.kept) for each in made]


class Listed(list):
    """A list of one or two."""

    def __init__(self, x):
        super().__init__([x])
        if x.sum() > 0:
            self[0] = x * 2
        else:
            self[0] = x * 3


@case(inputs=BOTH)
def own_lists(x):
    """A class of lists."""
    return Listed(x)[0], len(Listed(x))


@dataclass
class Checked:
    """Sets a field after the others."""

    x: torch.Tensor
    scale: float = 1.0

    def __post_init__(self):
        if self.x.sum() > 0:
            self.scale = 2.0


@case(inputs=BOTH)
def after_the_fields(x):
    """``__post_init__`` goes several ways."""
    return Checked(x).scale, Checked(x, 3.0).scale


class Counting:
    """Reads nothing of itself after a loop."""

    def __init__(self, x):
        self.first = x
        while x.sum() > 0:
            x = x - 1
            self.last = x
        else:
            if x.sum() < -2:
                self.last = x


@case(inputs=[*BOTH, (torch.tensor([0.0, 0.5]),)])
def loops(x):
    """A loop of unknown length comes last."""
    return Counting(x).first
