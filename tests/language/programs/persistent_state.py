"""State that persists across calls: kept on the host, or refused; never dropped."""

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

SERIES = [(POSITIVE,), (NEGATIVE,), (POSITIVE,), (MIXED,), (NEGATIVE,)]


@case(inputs=SERIES, may_refuse=True)
class CallCounter(nn.Module):
    """A counter attribute that grows with each call."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if x.sum() > 0:
            return x * self.calls
        return x


@case(inputs=SERIES, may_refuse=True)
class HiddenState(nn.Module):
    """A hidden state kept from call to call, None at first."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 3)
        self.hidden = None

    def forward(self, x):
        if self.hidden is None:
            self.hidden = torch.zeros_like(x)
        self.hidden = self.cell(x, self.hidden)
        if self.hidden.mean() > 0.1:
            return self.hidden
        return -self.hidden


@case(inputs=SERIES, may_refuse=True)
class HistoryList(nn.Module):
    """A list attribute that is appended to and cut."""

    def __init__(self):
        super().__init__()
        self.history = []

    def forward(self, x):
        if x.sum() > 0:
            self.history.append(x.max().item())
        if len(self.history) > 1:
            self.history.pop(0)
        return sum(self.history)


@case(inputs=SERIES, may_refuse=True)
class RunningBuffer(nn.Module):
    """A buffer written in place (a running mean)."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x):
        self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        if x.sum() > 0:
            return x - self.mean
        return x


@case(inputs=SERIES, may_refuse=True)
class ResetWithinCall(nn.Module):
    """State that each call resets before reading: nothing persists that is seen."""

    def __init__(self):
        super().__init__()
        self.states = []

    def forward(self, x):
        self.states = []
        for row in x:
            if row.sum() > 0:
                self.states.append(row)
        return len(self.states)


@case(inputs=SERIES, may_refuse=True)
class Cache(nn.Module):
    """A dict attribute used as a cache between calls."""

    def __init__(self):
        super().__init__()
        self.cache = {}

    def forward(self, x):
        key = int(x.sum())
        if key in self.cache:
            return self.cache[key], True
        self.cache[key] = x * 2
        return self.cache[key], False


@case(inputs=SERIES, may_refuse=True)
class ParameterOfOtherModule(nn.Module):
    """An attribute of a submodule is written and stays."""

    def __init__(self):
        super().__init__()
        self.norm = nn.Identity()
        self.norm.scale = 1.0

    def forward(self, x):
        y = x * self.norm.scale
        if x.sum() > 0:
            self.norm.scale = self.norm.scale + 1
        return y


@case(inputs=SERIES, factory=True)
def closure_state():
    """A counter in a closure that lives longer than the call."""
    calls = 0

    def forward(x):
        nonlocal calls
        calls += 1
        return x * calls if x.sum() > 0 else x

    return forward


@case(inputs=SERIES, factory=True)
def hidden_in_closure():
    """A tensor in a closure, None at first; another function reads the same variable."""
    hidden = None

    def seen():
        return hidden

    def forward(x):
        nonlocal hidden
        hidden = x if hidden is None else hidden * 0.5 + x
        return seen() + 1

    return forward


@case(inputs=SERIES, factory=True)
def closure_within():
    """Functions defined in the call write the variable of the one around both."""
    count = 0

    def forward(x):
        def bump():
            nonlocal count
            count += 1
            return count

        while x.sum() > 0:
            x = x - bump()
        return x, count, (lambda: count + 1)()

    return forward


class Holding(nn.Module):
    """Calls a function that keeps something."""

    def __init__(self, function):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.function = function

    def forward(self, x):
        return self.function(self.linear(x))


@case(inputs=SERIES, factory=True)
def module_with_closure():
    """A module holds a function whose closure counts."""
    calls = 0

    def counted(x):
        nonlocal calls
        if x.sum() > 0:
            calls = calls + 1
        return x * calls

    return Holding(counted)


@case(inputs=SERIES, factory=True, refused="DYCL055")
def function_in_closure():
    """A variable that held a function."""
    activation = torch.relu

    def forward(x):
        nonlocal activation
        activation = None  # <- refused
        return x

    return forward


@case(inputs=SERIES, factory=True, refused="DYCL001")
def class_reads_closure():
    """A class in the call reads a variable that calls write."""
    count = 0

    def forward(x):
        nonlocal count
        count += 1

        class Scale:  # <- refused
            factor = count

        return x * Scale.factor

    return forward


@case(inputs=SERIES, may_refuse=True, factory=True)
def default_argument_state():
    """A mutable default that lives longer than the call."""

    def forward(x, seen=[]):  # noqa: B006
        if x.sum() > 0:
            seen.append(1)
        return len(seen)

    return forward


@case(inputs=[(1,), (3,), (2,)], may_refuse=True)
class MaskOfSizes(nn.Module):
    """A mask that is made anew where the one kept is too small"""

    def __init__(self):
        super().__init__()
        self.mask = torch.ones(2, 2).triu(1)

    def forward(self, size):
        if size > self.mask.shape[0]:
            self.mask = torch.ones(size, size).triu(1)
        return self.mask[:size, :size]  # <- refused


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)], may_refuse=True)
class ElementsKept(nn.Module):
    """A list kept from call to call holds tensors of sizes known at run time only"""

    def __init__(self):
        super().__init__()
        self.parts = []

    def forward(self, x):
        self.parts.append(x[x > 0])
        return len(self.parts)  # <- refused


class _Grid(nn.Module):
    def __init__(self):
        super().__init__()
        self.size = 0

    def forward(self, x):
        size = x.shape[1]
        if size != self.size:
            self.size = size
            self.stride = 12 / size
            self.offsets = torch.arange(size).float()
        return x * self.stride + self.offsets


@case(inputs=SERIES)
class OffsetsOfASize(nn.Module):
    """Attributes that come with the first call, and are made anew where a size has changed"""

    def __init__(self):
        super().__init__()
        self.grid = _Grid()

    def forward(self, x):
        y = self.grid(x)
        return y if x.sum() > 0 else self.grid(torch.cat([x, x], 1))


@case(inputs=SERIES)
class PerhapsThere(nn.Module):
    """An attribute that some calls make, and later ones look for"""

    def forward(self, x):
        if x.sum() < 0:
            self.last = x * 2
        if hasattr(self, "last"):
            return self.last + x
        return x


@case(inputs=SERIES, rounds=True)
class SettingOfALayer(nn.Module):
    """The settings of PyTorch's layers are read by their code, and kept from call to call."""

    def __init__(self):
        super().__init__()
        self.pad = nn.ConstantPad1d(0, 0.0)

    def forward(self, x):
        if x.sum() > 0:
            self.pad.padding = (1, 0)
        return self.pad(x)


@case(inputs=SERIES)
class MaskedData(nn.Module):
    """The data of a weight is multiplied in place, and assigned to where it is"""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.register_buffer("mask", torch.tensor([1.0, 0.5, 0.0]))

    def forward(self, x):
        if x.sum() > 0:
            self.layer.weight.data *= self.mask
        y = x * 2
        y.data += 1
        return nn.functional.linear(y, self.layer.weight, self.layer.bias)


class _Halved(nn.Linear):
    def forward(self, x):
        self.weight.data *= 0.5
        return super().forward(x)


@case(inputs=SERIES)
class WeightOfTheBase(nn.Module):
    """The forward of the base class reads the weight that the call has changed"""

    def __init__(self):
        super().__init__()
        self.layer = _Halved(3, 3)

    def forward(self, x):
        return self.layer(x) if x.sum() > 0 else x
