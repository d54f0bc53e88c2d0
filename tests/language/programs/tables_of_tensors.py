"""Tensors of a module by their tables: `self._buffers[name]`, `self._parameters[name]`."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

CALLS = [(POSITIVE,), (NEGATIVE,), (MIXED,), (POSITIVE,)]


class Tables(nn.Module):
    """Two buffers and a parameter."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))
        self.register_buffer("largest", torch.zeros(3))
        self.weight = nn.Parameter(torch.ones(3))


@case(inputs=CALLS)
class WrittenInTheTable(Tables):
    """What is written there is the attribute, in this call and the next."""

    def forward(self, x):
        before = self._buffers["total"]
        for name in ("total", "largest"):
            self._buffers[name] = self._buffers[name] + x.sum(0)
        if x.sum() > 0:
            self._buffers["largest"] = x.max(0)[0]
        return before, self.total, self.largest * self._parameters["weight"]


@case(inputs=CALLS)
class WrittenAsAttributes(Tables):
    """The table shows what the attribute was set to, and what was added in place."""

    def forward(self, x):
        self.total = self._buffers["total"] + x.sum(0)
        self._buffers["largest"].add_(x[0])
        return self._buffers["total"], self.largest * 2


@case(inputs=CALLS)
class NotInTheTable(Tables):
    """A name that there is not."""

    def forward(self, x):
        try:
            return x + self._buffers["weight"]
        except KeyError as error:
            return str(error)


@case(inputs=CALLS, refused="DYCL034")
class OneMore(Tables):
    """The model gets one more buffer."""

    def forward(self, x):
        self._buffers["new"] = x  # <- refused
        return self.new


@case(inputs=CALLS, refused="DYCL034")
class AParameterInTheTable(Tables):
    """No check of PyTorch's looks at what is put there."""

    def forward(self, x):
        self._parameters["weight"] = nn.Parameter(self.weight + 1)  # <- refused
        return x * self.weight
