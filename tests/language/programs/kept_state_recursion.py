"""Recursive functions in models that keep something from call to call."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

SEVERAL = [(POSITIVE, 2), (NEGATIVE, 0), (MIXED, 3), (POSITIVE, 1)]


@case(inputs=SEVERAL)
class StateReadBelow(nn.Module):
    """A recursive function reads what the model keeps; the caller writes it."""

    def __init__(self):
        super().__init__()
        self.hidden = torch.zeros(2, 3)

    def again(self, x, n):
        return x if n == 0 else self.again(x * 0.5 + self.hidden, n - 1)

    def forward(self, x, n):
        self.hidden = self.again(x, n)
        return self.hidden + 1


@case(inputs=[*SEVERAL, (POSITIVE, -1), (POSITIVE, 1)])
class StateWhenARecursionRaises(nn.Module):
    """What was written before the call is kept when the call raises."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    def again(self, x, n):
        if n < 0:
            raise ValueError("negative")
        return x if n == 0 else self.again(x * 0.5, n - 1)

    def forward(self, x, n):
        self.calls = self.calls + 1
        y = self.again(x, n)
        return y, self.calls


@case(inputs=SEVERAL, refused=True, slow=True)
class StateWrittenBelow(nn.Module):
    """A recursive function that writes what the model keeps is refused."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    def again(self, x, n):
        self.calls = self.calls + 1
        return x if n == 0 else self.again(x * 0.5, n - 1)

    def forward(self, x, n):
        return self.again(x, n), self.calls
