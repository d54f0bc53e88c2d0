"""The code that torch shows, in the place of kernels for the same."""

from collections.abc import Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode


class ShownCode(TorchFunctionMode):
    """While open, torch's layers run their Python code: they take no fast path where a mode is.

    The kernels of ``nn.MultiheadAttention`` have an empty fake tensor where their result is None,
    and none of them takes symbols for sizes.
    """

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> object:
        """Run the function as it is; what is stored behind a mask is read before."""
        if func is torch.Tensor.__setitem__:
            _read_by_mask(args[0], args[1])
        elif func in _PUTTING and len(args) > 1:
            _read_by_mask(args[0], tuple(slice(None) if i is None else i for i in args[1]))
        return func(*args, **(kwargs or {}))


_PUTTING = (torch.index_put, torch.index_put_, torch.Tensor.index_put, torch.Tensor.index_put_)


def _read_by_mask(tensor: torch.Tensor, index: object) -> None:
    """Raise where a mask is not as large as the tensor: fake tensors see that in reading only."""
    parts: Sequence[object] = index if isinstance(index, tuple) else (index,)
    if any(isinstance(part, torch.Tensor) and part.dtype is torch.bool for part in parts):
        tensor[index]  # type: ignore[index]
