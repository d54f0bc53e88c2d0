"""Recurrent layers as plain operators, which treat NaN as PyTorch does.

ONNX Runtime's own LSTM and GRU turn NaN into numbers. A layer over a short sequence is
unrolled; over a long one, or one of unknown length, the runtime's operator stays, and NaN is
put back where an input that is NaN would have spread to.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch._decomp import decompositions
from torch.overrides import TorchFunctionMode

from hcfg.traced_layers import RECURRENT

MOST_STEPS = 64
"""Steps, over all layers and directions, up to which a layer is unrolled."""

_Function = Callable[..., Any]

_UNROLLED: Mapping[_Function, _Function] = {
    torch._VF.lstm: decompositions.lstm_impl,
    torch._VF.gru: decompositions.gru_impl,
}


class PlainRecurrence(TorchFunctionMode):
    """While active, recurrent layers are traced as plain operators where they are short."""

    def __torch_function__(
        self,
        func: _Function,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Replace the calls of recurrent layers."""
        kwargs = dict(kwargs or {})
        if func is RECURRENT:
            _, x, *_, layers, bidirectional, batch_first = args
            return _with_nan(func(*args), x, layers, bidirectional, batch_first)
        if func not in _UNROLLED or kwargs or len(args) != 9 or not isinstance(args[3], bool):
            return func(*args, **kwargs)  # packed sequences are called differently
        x, layers, bidirectional, batch_first = args[0], args[4], args[7], args[8]
        steps = x.shape[1 if batch_first else 0]
        if steps * layers * (2 if bidirectional else 1) <= MOST_STEPS:
            return _UNROLLED[func](*args)
        return tuple(_with_nan(func(*args), x, layers, bidirectional, batch_first))


def _with_nan(
    found: Sequence[torch.Tensor], x: torch.Tensor, layers: int, bidirectional: bool, time: bool
) -> list[torch.Tensor]:
    """Return outputs and states, NaN where an input that is NaN spreads to.

    ``time`` is the dimension of the steps, 0 or 1.
    """
    outputs, *states = found
    steps = (x.transpose(0, 1) if time else x).isnan().any(-1).to(torch.int64)
    reached = _reached(steps, outputs.shape[-1], layers, bidirectional)
    ever = steps.sum(0).unsqueeze(-1) > 0
    return [
        torch.where(reached.transpose(0, 1) if time else reached, float("nan"), outputs),
        *(torch.where(ever, float("nan"), state) for state in states),
    ]


def _reached(steps: torch.Tensor, width: int, layers: int, bidirectional: bool) -> torch.Tensor:
    """Return for each step, sample and feature whether a NaN among ``steps`` gets there."""
    before = steps.cumsum(0) > 0
    if not bidirectional:
        return before.unsqueeze(-1)
    after = steps.flip(0).cumsum(0).flip(0) > 0
    if layers > 1:  # the second layer sees both directions of the first
        before = after = before | after
    half = width // 2
    return torch.cat([side.unsqueeze(-1).expand(-1, -1, half) for side in (before, after)], -1)
