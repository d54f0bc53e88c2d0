"""``torch.empty`` with zeros in it: what a program finds in new memory must not vary."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_Function = Callable[..., Any]

_UNINITIALISED = frozenset(
    {
        torch.empty,
        torch.empty_like,
        torch.empty_permuted,
        torch.empty_strided,
        torch.Tensor.new_empty,
        torch.Tensor.new_empty_strided,
    }
)


class ZeroedMemory(TorchFunctionMode):
    """While active, tensors that PyTorch would leave uninitialised hold zeros.

    So a constant computed at compile time is the same in every compilation, and a sub-DNN
    can be compared with what it was compiled to.
    """

    def __torch_function__(
        self,
        func: _Function,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Fill the results of functions that do not."""
        result = func(*args, **dict(kwargs or {}))
        return result.zero_() if func in _UNINITIALISED else result
