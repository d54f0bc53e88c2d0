"""``nn.Sequential``, ``nn.ModuleList`` and ``nn.ModuleDict`` that are made in the call, in Python.

They derive from torch's classes, so that ``isinstance`` says what it does in PyTorch. Each method
that torch's class adds to ``nn.Module`` is here; what ``nn.Module`` itself has is refused.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping

from torch import nn

from rewriter.prelude.module_parts import Numbered, Parts


class Sequential(Numbered, nn.Sequential):
    """Modules that are called one after the other."""

    _kind = nn.Sequential

    def __init__(self, *modules):
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], OrderedDict):
            for name, module in modules[0].items():
                self.add_module(name, module)
        else:
            for place, module in enumerate(modules):
                self.add_module(str(place), module)

    def _named(self, index):
        return list(self._own())[self._place(index)]

    def _names(self, places):
        return list(self._own())[places]

    def __getitem__(self, index):
        if isinstance(index, slice):
            return Sequential(OrderedDict(list(self._own().items())[index]))
        return list(self._own().values())[self._place(index)]

    def __add__(self, other):
        _require_sequential(other)
        return Sequential(*self, *other)

    def __iadd__(self, other):
        _require_sequential(other)
        return self.extend(other)

    def _require_times(self, times):
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {self._kind} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {self._kind}")

    def __mul__(self, times):
        self._require_times(times)
        return Sequential(*list(self) * times)

    def __rmul__(self, times):
        return self * times

    def __imul__(self, times):
        self._require_times(times)
        before = [self._own()[str(place)] for place in range(len(self))]
        for module in before * (times - 1):
            self.append(module)
        return self

    def forward(self, input):
        """Call the modules."""
        for module in self:
            input = module(input)
        return input

    def insert(self, index, module):
        """Put a module at a place, before the one that is there."""
        if not isinstance(module, nn.Module):
            raise AssertionError(f"module should be of type: {nn.Module}")
        size = len(self)
        if index < -size or index > size:
            raise IndexError(f"Index out of range: {index}")
        self._put(index + size if index < 0 else index, module)
        return self

    def extend(self, modules):
        """Put the modules of a container behind the others."""
        for module in modules:
            self.append(module)
        return self


class ModuleList(Numbered, nn.ModuleList):
    """Modules in a row, which are not called by it."""

    _kind = nn.ModuleList

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def _named(self, index):
        place = self._place(index)
        return str(place + len(self) if place < 0 else place)

    def _names(self, places):
        return [str(place) for place in range(len(self))[places]]

    def __getitem__(self, index):
        if isinstance(index, slice):
            return ModuleList(list(self._own().values())[index])
        parts = self._own()
        if list(parts) == [str(place) for place in range(len(parts))]:
            return list(parts.values())[self._place(index)]
        return parts[self._named(index)]

    def __add__(self, others):
        return ModuleList([*self, *others])

    def __iadd__(self, modules):
        return self.extend(modules)

    def insert(self, index, module):
        """Put a module at a place, before the one that is there."""
        self._put(index, module)

    def extend(self, modules):
        """Put modules behind the others."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleList.extend should be called with an iterable, but got "
                + type(modules).__name__
            )
        before = len(self)
        for place, module in enumerate(modules):
            self.add_module(str(before + place), module)
        return self

    def forward(self, *given):
        """Refuse to be called, as torch's class does."""
        raise NotImplementedError('Module [ModuleList] is missing the required "forward" function')


class ModuleDict(Parts, nn.ModuleDict):
    """Modules by name, which are not called by it."""

    _kind = nn.ModuleDict

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._own()[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._own()[key]

    def __iter__(self):
        return iter(self._own())

    def __contains__(self, key):
        return key in self._own()

    def clear(self):
        """Take out all modules."""
        self._own().clear()

    def pop(self, key):
        """Take out a module."""
        return self._own().pop(key)

    def keys(self):
        """Return the names."""
        return self._own().keys()

    def values(self):
        """Return the modules."""
        return self._own().values()

    def items(self):
        """Return names and modules."""
        return self._own().items()

    def update(self, modules):
        """Take in the modules of a dict, or pairs of a name and a module."""
        if isinstance(modules, (nn.ModuleDict, Mapping)):
            for name, module in modules.items():
                self[name] = module
        else:
            for place, pair in enumerate(modules):
                if len(pair) != 2:
                    raise ValueError(
                        f"ModuleDict update sequence element #{place} has length {len(pair)}; "
                        "2 is required"
                    )
                self[pair[0]] = pair[1]

    def forward(self, *given):
        """Refuse to be called, as torch's class does."""
        raise NotImplementedError('Module [ModuleDict] is missing the required "forward" function')


def _require_sequential(other):
    if not isinstance(other, nn.Sequential):
        raise ValueError(
            f"add operator supports only objects of Sequential class, but {type(other)} is given."
        )
