"""Recurrent layers as plain operators, which treat NaN and infinities as PyTorch does.

ONNX Runtime's own LSTM and GRU turn those into numbers. A layer over a short sequence is
unrolled; over a long one, or one of unknown length, the runtime's operator stays, with a second
way to go beside it (``stepping.py``).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from dycl.backends.onnx_graphs.unrolling import unrolled

MOST_STEPS = 64
"""Steps, over all layers and directions, up to which a layer is unrolled."""

_Function = Callable[..., Any]

_KINDS: Mapping[_Function, str] = {
    torch._VF.lstm: "lstm",
    torch._VF.gru: "gru",
    torch._VF.rnn_tanh: "rnn_tanh",
    torch._VF.rnn_relu: "rnn_relu",
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
        if func in _KINDS and not kwargs and len(args) == 9 and isinstance(args[3], bool):
            x, states, weights, biases, layers, dropout, train, bidirectional, batch_first = args
            steps = x.shape[1 if batch_first else 0]
            drops = train and dropout > 0 and layers > 1
            if steps * layers * (2 if bidirectional else 1) <= MOST_STEPS and not drops:
                given = tuple(states) if isinstance(states, (tuple, list)) else (states,)
                return unrolled(
                    _KINDS[func], x, given, weights, biases, layers, bidirectional, batch_first
                )
        return func(*args, **kwargs)
