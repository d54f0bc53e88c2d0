"""Results that an operation leaves undefined: None in PyTorch, an empty tensor on fake tensors."""

from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_WEIGHTS_WANTED = 10
"""Where attention takes ``need_weights`` among its arguments; it is true by default."""


class UndefinedResults(TorchFunctionMode):
    """While open, the operations below give None on fake tensors where they do on others."""

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> object:
        """Run the operation, and leave out what it leaves undefined."""
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if func is torch._native_multi_head_attention and not _wants_weights(args, kwargs):
            return result[0], None
        return result


def _wants_weights(args: Any, kwargs: Any) -> bool:
    given = args[_WEIGHTS_WANTED] if len(args) > _WEIGHTS_WANTED else True
    return bool(kwargs.get("need_weights", given))
