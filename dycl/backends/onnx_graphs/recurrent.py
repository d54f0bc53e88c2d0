"""Recurrent layers as plain operators, which treat NaN and infinities as PyTorch does.

ONNX Runtime's own LSTM and GRU turn those into numbers. A layer over a short sequence is
unrolled; over a long one, or one of unknown length, the runtime's operator stays, with a second
way to go beside it (``stepping.py``).
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
        # packed sequences are called differently
        if func in _UNROLLED and not kwargs and len(args) == 9 and isinstance(args[3], bool):
            x, layers, bidirectional, batch_first = args[0], args[4], args[7], args[8]
            steps = x.shape[1 if batch_first else 0]
            if steps * layers * (2 if bidirectional else 1) <= MOST_STEPS:
                return _UNROLLED[func](*args)
        return func(*args, **kwargs)
