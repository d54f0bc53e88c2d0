"""Buffers that are registered in the call: tables that grow; the inputs are calls, in order."""

import torch
from torch import Tensor, nn

from tests.language.harness import case, noise

X = noise(2, 3)
CALLS = [(X, 2), (-X, 5), (X * 2, 3), (X * 3, 7), (-X, 4), (X, 9)]
ROWS = [(X,), (-X,)]


class _Angles(nn.Module):
    def __init__(self, longest=4):
        super().__init__()
        self.register_buffer("steps", torch.tensor([1.0, 0.5, 0.25]), persistent=False)
        self.make_table(longest)

    def make_table(self, longest):
        self.longest = longest
        angles = torch.outer(torch.arange(longest).float(), self.steps)
        self.register_buffer("cosines", angles.cos(), persistent=False)

    def forward(self, length):
        if length > self.longest:
            self.make_table(length)
        return self.cosines[:length]


@case(inputs=CALLS)
class GrownTable(nn.Module):
    """A table of positions is made anew for a longer sequence, and stays"""

    def __init__(self):
        super().__init__()
        self.angles = _Angles()

    def forward(self, x, length):
        table = self.angles(length)
        return x * table.sum(0) if x.sum() > 0 else x - table[0]


@case(inputs=CALLS[:2])
class SmallTable(nn.Module):
    """A module made in the call registers its own"""

    def forward(self, x, length):
        return x * _Angles(4).cosines.sum(0) if x.sum() > 0 else x * length


@case(inputs=CALLS)
class KeywordsAndOrder(nn.Module):
    """The arguments are named; a buffer of another size each time"""

    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(1, 3))

    def forward(self, x, length):
        before = self.seen
        if length > 3:
            self.register_buffer(persistent=True, tensor=x.repeat(length, 1), name="seen")
        return before.sum(0), self.seen.sum(0), len(self.seen)


@case(inputs=ROWS, refused="DYCL034")
class OneMoreBuffer(nn.Module):
    """A buffer that the model did not have"""

    def forward(self, x):
        if x.sum() > 0:
            self.register_buffer("mask", x > 0)  # <- refused
        return x


@case(inputs=ROWS, refused="DYCL034")
class SavedFromNowOn(nn.Module):
    """Whether a buffer is in the state dict changes"""

    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(3), persistent=False)

    def forward(self, x):
        if x.sum() > 0:
            self.register_buffer("seen", x[0])  # <- refused
        return x + self.seen


@case(inputs=ROWS, refused="DYCL034")
class NoTensor(nn.Module):
    """A buffer that is None from then on"""

    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(3))

    def forward(self, x):
        if x.sum() > 0:
            self.register_buffer("seen", None)  # <- refused
        return x


class _Replaced(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(3))
        self.scale = 2.0  # <- refused

    def forward(self, x: Tensor):
        return x * self.scale  # never


@case(inputs=ROWS, refused="DYCL050")
def replaced_by_a_number(x):
    """PyTorch takes only tensors in the place of a buffer"""
    return _Replaced()(x)


class _There(nn.Module):
    scale = 2.0

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(3))  # <- refused

    def forward(self, x: Tensor):
        return x * self.scale  # never


@case(inputs=ROWS, refused="DYCL034")
def of_the_name_of_a_class_attribute(x):
    """PyTorch raises where there is an attribute of that name"""
    return _There()(x)


@case(inputs=ROWS)
class TooFewArguments(nn.Module):
    """A buffer without a tensor raises"""

    def forward(self, x):
        if x.sum() > 0:
            self.register_buffer("mask")
        return x


class _Stateful(nn.Module):
    """States by name, as they were declared, for the time of one search"""

    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(0, 3))
        self.register_buffer("seen", None)
        self.defaults = {"keys": torch.zeros(0, 3), "seen": None}

    def begin(self):
        for name, default in self.defaults.items():
            if default is None:
                self._buffers[name] = None
            else:
                self._buffers[name] = default.clone().to(self._buffers[name].device)

    def step(self, x):
        self.keys = torch.cat([self.keys, x])
        self.seen = x if self.seen is None else self._buffers["seen"] + x
        return self.keys.sum(0)


@case(inputs=[(X * 0.01,), (-X,), (X.abs() * 20,)], slow=True)
class StatesByName(nn.Module):
    """`module._buffers[name]` is the buffer of that name: read, replaced, set to None"""

    def __init__(self):
        super().__init__()
        self.inner = _Stateful()

    def forward(self, x):
        self.inner.begin()
        sums = [self.inner.step(x)]
        while x.sum() < 10 and len(sums) < 4:
            x = x.abs() * 2
            sums.append(self.inner.step(x))
        seen = self.inner.seen
        self.inner.begin()
        return torch.stack(sums), seen, self.inner.seen


@case(inputs=ROWS)
class ReplacedByName(nn.Module):
    """Of modules in a list; calls see what earlier ones have put there"""

    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([_Angles(), _Stateful()])

    def forward(self, x):
        for part, name in zip(self.parts, ("steps", "seen"), strict=True):
            held = part._buffers[name]
            part._buffers[name] = x[0] if held is None else held + x[0]
        return [self.parts[0].steps, self.parts[1].seen * 2]


class _Doubling(_Stateful):
    def __setattr__(self, name, value):
        super().__setattr__(name, value)


@case(inputs=ROWS, refused="DYCL034")
class ReplacedBesideTheClass(nn.Module):
    """The class says itself what an assignment does, which the table does not ask"""

    def __init__(self):
        super().__init__()
        self.inner = _Doubling()

    def forward(self, x):
        self.inner._buffers["seen"] = x  # <- refused
        return self.inner.seen


@case(inputs=ROWS, refused="DYCL067")
class MissingByName(nn.Module):
    """What is no buffer is looked for in the table, which shows what was there before"""

    def __init__(self):
        super().__init__()
        self.inner = _Stateful()

    def forward(self, x):
        self.inner._buffers["seen"] = x
        return self.inner._buffers["keys_of"]  # <- refused


@case(inputs=ROWS, refused="DYCL067")
class SumOfBuffers(nn.Module):
    """A buffer that is replaced, and read by nothing but `buffers()`"""

    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.zeros(3))

    def forward(self, x):
        self.last = x[0]
        return sum(each.sum() for each in self.buffers())  # <- refused


@case(inputs=ROWS, refused="DYCL067")
class CountOfBuffers(nn.Module):
    """So is one that is None until the call puts a tensor there"""

    def __init__(self):
        super().__init__()
        self.register_buffer("last", None)

    def forward(self, x):
        if self.last is None:
            self.last = x[0]
        return len(list(self.buffers()))  # <- refused


@case(inputs=ROWS, refused="DYCL067")
class TableOfBuffers(nn.Module):
    """The table as a whole shows what was there before"""

    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.zeros(3))

    def forward(self, x):
        self.last = x[0]
        return [each * 2 for each in self._buffers.values()]  # <- refused
