"""Objects of a library's that hold what is of run time: distributions, losses with weights."""

import gc
import types

import torch
from torch._subclasses.fake_tensor import FakeTensor

_OUTSIDE = (type, types.ModuleType)


def holds_fakes(content: object) -> bool:
    """Return whether a fake tensor can be reached from an object, by whatever way."""
    return _holds(content, FakeTensor)


def holds_sizes(content: object) -> bool:
    """Return whether an integer known only at run time can be reached from an object."""
    return _holds(content, torch.SymInt)


def _holds(content: object, kind: type) -> bool:
    met: set[int] = set()
    pending = [content]
    while pending:
        current = pending.pop()
        if isinstance(current, kind):
            return True
        if id(current) in met or isinstance(current, (*_OUTSIDE, torch.Tensor)):
            continue
        met.add(id(current))
        if isinstance(current, types.FunctionType):
            pending += [current.__closure__, current.__defaults__, current.__kwdefaults__]
        else:
            pending += gc.get_referents(current)
    return False
