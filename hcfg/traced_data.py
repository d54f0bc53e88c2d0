"""Lets a trace see the ``data`` of a tensor.

Reading it is no operation that PyTorch's exporter sees: what it gives would be a tensor from
outside of the trace. Without gradients it is what ``detach`` gives, memory included.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor
from torch.overrides import TorchFunctionMode

_READING = Tensor.data.__get__  # type: ignore[attr-defined]


class TracedData(TorchFunctionMode):
    """While active, ``x.data`` is ``x.detach()``."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Respell what needs it."""
        return args[0].detach() if func == _READING else func(*args, **dict(kwargs or {}))
