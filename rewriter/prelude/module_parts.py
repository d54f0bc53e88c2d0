"""What containers of modules that are made in the call have in common, in Python."""

import operator
from collections import OrderedDict

import torch
from torch import nn

_TAKEN = {kind: kind() for kind in (nn.Sequential, nn.ModuleList, nn.ModuleDict)}


class Parts:
    """Modules by name."""

    def __init__(self):
        self.training = True
        self.__parts = {}

    def _own(self):
        return self.__parts

    def _keep(self, parts):
        self.__parts = parts

    def add_module(self, name, module):
        """Keep a module under a name."""
        if not isinstance(module, nn.Module) and module is not None:
            raise TypeError(f"{torch.typename(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {torch.typename(name)}")
        if name not in self.__parts and hasattr(_TAKEN[self._kind], name):
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        self.__parts[name] = module

    def children(self):
        """Return the modules, each of them once."""
        found = []
        for module in self.__parts.values():
            if module is not None and not any([module is each for each in found]):
                found.append(module)
        return iter(found)

    def __getattr__(self, name):
        if name in self.__parts:
            return self.__parts[name]
        raise AttributeError(f"'{self._kind.__name__}' object has no attribute '{name}'")

    def __len__(self):
        return len(self.__parts)


class Numbered(Parts):
    """Modules in a row: their names are their places."""

    def __iter__(self):
        return iter(self._own().values())

    def _place(self, index):
        size = len(self)
        index = operator.index(index)
        if index < -size or index >= size:
            raise IndexError(f"index {index} is out of range")
        return index

    def __setitem__(self, index, module):
        parts = self._own()
        name = self._named(index)
        if not isinstance(module, nn.Module) and module is not None:
            raise TypeError(
                f"cannot assign '{torch.typename(module)}' as child module '{name}' "
                "(torch.nn.Module or None expected)"
            )
        parts[name] = module

    def __delitem__(self, index):
        parts = self._own()
        if isinstance(index, slice):
            for name in self._names(index):
                del parts[name]
        else:
            del parts[self._named(index)]
        self._keep(OrderedDict(zip(map(str, range(len(parts))), parts.values(), strict=True)))

    def append(self, module):
        """Put a module behind the others."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key):
        """Take out a module, or some."""
        module = self[key]
        del self[key]
        return module

    def _put(self, index, module):
        parts = self._own()
        for place in range(len(parts), index, -1):
            parts[str(place)] = parts[str(place - 1)]
        parts[str(index)] = module
