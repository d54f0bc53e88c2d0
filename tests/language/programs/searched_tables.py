"""`index` and `count` of lists of the model's, of what is known only at run time."""

import types

import torch
from torch import nn

from tests.language.harness import case

INPUTS = [(torch.tensor([n, 1.0, -2.0]),) for n in (0.5, 0.25, 1.0, 3.0)]
FLAGS = types.SimpleNamespace(widths=[0.25, 0.5, 1.0, 0.5], names=["slow", "fast"])


@case(inputs=INPUTS)
def of_the_file(x):
    """In a list of the file, from a place on, and where it is not"""
    wanted = x[0].item()
    try:
        place = FLAGS.widths.index(wanted)
        return x * place, FLAGS.widths.index(wanted, -4), FLAGS.widths.count(wanted)
    except ValueError:
        return FLAGS.widths.count(wanted)


@case(inputs=INPUTS)
def of_texts(x):
    """A list of texts is asked for one that was chosen at run time"""
    name = "fast" if x[0] > 0.3 else "slow"
    return FLAGS.names.index(name), FLAGS.names.count(name)


@case(inputs=INPUTS)
def of_tuples(x):
    """In a tuple that is known, and where it is not in it"""
    wanted, widths = x[0].item(), (0.25, 0.5, 0.5)
    try:
        return widths.count(wanted), widths.index(wanted, -3), widths.index(0.5)
    except ValueError as error:
        return str(error)


@case(inputs=INPUTS)
class Switchable(nn.Module):
    """A width that is chosen at run time says which of the layers it is"""

    def __init__(self):
        super().__init__()
        self.widths = [1, 2, 3]
        self.layers = nn.ModuleList(nn.Linear(width, 2) for width in self.widths)
        self.width = max(self.widths)

    def forward(self, x):
        if x[0] > 0.6:
            self.width = 1 if x[0] > 2 else 2
        else:
            self.width = 3
        layer = self.layers[self.widths.index(self.width)]
        return layer(x[: self.width]), self.width
