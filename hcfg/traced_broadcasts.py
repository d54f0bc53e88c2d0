"""Functions that spread two tensors over each other before they compute, at sizes of run time.

The Python versions that a trace runs take sizes for different ones unless they are known to be
equal, where an operator takes them for equal: the host has asked before.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

_OF_TWO: dict[Callable[..., Any], tuple[str, str]] = {
    functional.mse_loss: ("input", "target"),
    functional.l1_loss: ("input", "target"),
    functional.smooth_l1_loss: ("input", "target"),
    functional.huber_loss: ("input", "target"),
    functional.cosine_similarity: ("x1", "x2"),
}


class TracedBroadcasts(TorchFunctionMode):
    """While active, tensors of sizes of run time are spread over each other by an operator."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Respell what needs it."""
        kwargs = dict(kwargs or {})
        if func is torch.broadcast_tensors and _are_unlike(args):
            return _spread(args)
        names = _OF_TWO.get(func, ())
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        if names and _are_unlike([given.get(name) for name in names]):
            others = {name: value for name, value in kwargs.items() if name not in names}
            return func(*_spread([given[name] for name in names]), *args[2:], **others)
        return func(*args, **kwargs)


def _are_unlike(tensors: Sequence[Any]) -> bool:
    """Return whether tensors differ in their sizes, some of which are known at run time only."""
    if not all(isinstance(each, Tensor) for each in tensors):
        return False
    symbolic = any(isinstance(size, torch.SymInt) for each in tensors for size in each.shape)
    return symbolic and len({tuple(map(str, each.shape)) for each in tensors}) > 1


def _spread(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Return tensors of one shape with the very elements that they have."""
    whole = torch.ones_like(tensors[0], dtype=torch.bool)
    for each in tensors[1:]:
        whole = whole & torch.ones_like(each, dtype=torch.bool)
    return [torch.where(whole, each, each) for each in tensors]
