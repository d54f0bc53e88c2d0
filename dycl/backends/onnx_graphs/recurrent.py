"""Recurrent layers as plain operators, which treat NaN as PyTorch does.

ONNX Runtime's own LSTM and GRU turn NaN into numbers. A layer over a short sequence is
unrolled; over a long one the runtime's operator stays, and NaN is put back where an input
that is NaN would have spread to.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch._decomp import decompositions
from torch.overrides import TorchFunctionMode

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
        if func not in _UNROLLED or kwargs or len(args) != 9 or not isinstance(args[3], bool):
            return func(*args, **kwargs)  # packed sequences are called differently
        x, layers, bidirectional, batch_first = args[0], args[4], args[7], args[8]
        steps = x.shape[1 if batch_first else 0]
        if steps * layers * (2 if bidirectional else 1) <= MOST_STEPS:
            return _UNROLLED[func](*args)
        output, *states = func(*args)
        return (_with_nan(output, args), *(_final_with_nan(state, args) for state in states))


def _nan_steps(args: tuple[Any, ...]) -> torch.Tensor:
    """Return for each step, time first, and sample whether the input has a NaN there."""
    x, batch_first = args[0], args[8]
    found: torch.Tensor = (x.transpose(0, 1) if batch_first else x).isnan().any(-1)
    return found.to(torch.int64)


def _with_nan(output: torch.Tensor, args: tuple[Any, ...]) -> torch.Tensor:
    layers, bidirectional, batch_first = args[4], args[7], args[8]
    found = _nan_steps(args)
    before = found.cumsum(0) > 0
    if bidirectional:
        half = output.shape[-1] // 2
        after = found.flip(0).cumsum(0).flip(0) > 0
        if layers > 1:  # the second layer sees both directions of the first
            before = after = before | after
        reached = torch.cat(
            [side.unsqueeze(-1).expand(-1, -1, half) for side in (before, after)], -1
        )
    else:
        reached = before.unsqueeze(-1)
    if batch_first:
        reached = reached.transpose(0, 1)
    return torch.where(reached, float("nan"), output)


def _final_with_nan(state: torch.Tensor, args: tuple[Any, ...]) -> torch.Tensor:
    reached = _nan_steps(args).any(0).unsqueeze(-1)
    return torch.where(reached, float("nan"), state)
