"""The code that torch shows, in the place of kernels for the same."""

from typing import Any

from torch.overrides import TorchFunctionMode


class ShownCode(TorchFunctionMode):
    """While open, torch's layers run their Python code: they take no fast path where a mode is.

    The kernels of ``nn.MultiheadAttention`` have an empty fake tensor where their result is None,
    and none of them takes symbols for sizes.
    """

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> object:
        """Run the function as it is."""
        return func(*args, **(kwargs or {}))
