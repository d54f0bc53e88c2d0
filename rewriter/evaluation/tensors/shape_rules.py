"""Shapes of operations that PyTorch cannot run with symbols for sizes.

What these rules say is compared with the operations themselves at small sizes, as everything
is that is evaluated with symbols (``size_trials``).
"""

from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from rewriter.evaluation.tensors.recurrent_cells import cell

_RECURRENT = ("lstm", "gru", "rnn_tanh", "rnn_relu")
_CONVOLUTIONS = ("conv1d", "conv2d", "conv3d")
_BATCH_FIRST = 8
"""Where recurrent functions take ``batch_first`` among their arguments."""


class ShapeRules(TorchFunctionMode):
    """While open, the operations below work with symbols for sizes."""

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> object:
        """Apply a rule, or the operation itself where there is none."""
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in _CONVOLUTIONS and len(args) > 1:
            _require_rank(name, *args[:2])
        if name in _RECURRENT and len(args) == _BATCH_FIRST + 1 and not kwargs:
            time = 1 if args[_BATCH_FIRST] else 0
            if args[0].dim() == 3 and isinstance(args[0].shape[time], torch.SymInt):
                return _recurrent(func, args, time)
        if name == "max_pool1d" and not kwargs.get("return_indices"):
            kwargs = {key: value for key, value in kwargs.items() if key != "return_indices"}
            if isinstance(args[0].shape[-1], torch.SymInt):
                return max_pool1d(*args, **kwargs)
        if not kwargs and (spelled := cell(name, args)) is not None:
            return spelled()
        return func(*args, **kwargs)


def _require_rank(name: str, x: torch.Tensor, weight: torch.Tensor) -> None:
    """Raise what a convolution raises, whose words of the sizes PyTorch must know."""
    if weight.dim() > 2 and x.dim() not in (weight.dim() - 1, weight.dim()):
        ranks = f"{weight.dim() - 1}D (unbatched) or {weight.dim()}D (batched)"
        raise RuntimeError(f"Expected {ranks} input to {name}, but got one of {x.dim()} dimensions")


def _recurrent(func: Any, args: tuple[Any, ...], time: int) -> object:
    """Run one step: only the time dimension of the first result depends on how many there are."""
    steps = args[0].shape[time]
    outputs, *states = func(args[0].narrow(time, 0, 1), *args[1:])
    sizes = list(outputs.shape)
    sizes[time] = steps
    if time:
        made = outputs.new_empty(sizes[1], sizes[0], *sizes[2:]).transpose(0, 1)
    else:
        made = outputs.new_empty(sizes)
    return (made, *states)


def max_pool1d(
    x: torch.Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> torch.Tensor:
    """Pool over two dimensions, the first of them of size one, as ``F.max_pool1d`` does."""

    def one(value: Any) -> int:
        return int(value[0]) if isinstance(value, list | tuple) else int(value)

    strides = [1, one(stride)] if stride else [1, one(kernel_size)]
    pooled = torch.max_pool2d(
        x.unsqueeze(-2),
        [1, one(kernel_size)],
        strides,
        [0, one(padding)],
        [1, one(dilation)],
        ceil_mode,
    )
    return pooled.squeeze(-2)
