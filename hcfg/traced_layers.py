"""Layers over a number of steps that a trace does not know.

PyTorch decomposes a recurrent layer into operations for each step, and max_pool1d into code that
asks whether there are any. Here such a layer becomes one operation, ``dycl::recurrent``, which
backends translate as a whole; the pooling is spelled as one over two dimensions, and a
recurrent cell as its operators. A layer whose slope is drawn in training has one slope else.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import SymInt, Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from rewriter.evaluation.tensors.recurrent_cells import cell
from rewriter.evaluation.tensors.shape_rules import max_pool1d
from rewriter.prelude.windows import averaged, largest

KINDS = ("lstm", "gru", "rnn_tanh", "rnn_relu")
"""Functions of ``torch._VF``, called with nine arguments where sequences are not packed."""

_ARGUMENTS = 9

POOLING = {
    f"adaptive_{kind}_pool{rank}d": (rank, pooled)
    for kind, pooled in (("avg", averaged), ("max", largest))
    for rank in (1, 2)
}
"""Functions that pool to so many results: over how many dimensions, and what does it for one."""


@torch.library.custom_op("dycl::recurrent", mutates_args=())
def recurrent(
    kind: str,
    x: Tensor,
    states: Sequence[Tensor],
    weights: Sequence[Tensor],
    biases: bool,
    layers: int,
    bidirectional: bool,
    batch_first: bool,
) -> list[Tensor]:
    """Return what the layer ``torch._VF.<kind>`` does: outputs, and the last states.

    ``x`` is of shape (time, batch, features), with time and batch swapped if ``batch_first``;
    each state is of shape (layers * directions, batch, hidden).
    """
    given = states if kind == "lstm" else states[0]
    function = getattr(torch._VF, kind)
    found = function(x, given, weights, biases, layers, 0.0, False, bidirectional, batch_first)
    return [part.clone() for part in found]


@recurrent.register_fake
def _(
    kind: str,
    x: Tensor,
    states: Sequence[Tensor],
    weights: Sequence[Tensor],
    biases: bool,
    layers: int,
    bidirectional: bool,
    batch_first: bool,
) -> list[Tensor]:
    width = states[0].shape[-1] * (2 if bidirectional else 1)
    # As PyTorch lays it out: time first in memory, whatever the order of the dimensions.
    time, batch = (x.shape[1], x.shape[0]) if batch_first else (x.shape[0], x.shape[1])
    outputs = x.new_empty(time, batch, width)
    if batch_first:
        outputs = outputs.transpose(0, 1)
    return [outputs, *(state.new_empty(state.shape) for state in states)]


RECURRENT = torch.ops.dycl.recurrent.default
"""What a trace has in the place of such a layer."""


class TracedLayers(TorchFunctionMode):
    """While active, the layers above work on a number of steps that a trace does not know."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Respell what needs it."""
        kwargs = dict(kwargs or {})
        if torch.is_autocast_enabled("cpu"):  # which converts the operands of this, not of others
            return func(*args, **kwargs)
        name = getattr(func, "__name__", "")
        if name in KINDS and not kwargs and _is_unknown_recurrence(args):
            return _as_one(name, args)
        if name == "max_pool1d" and isinstance(args[0].shape[-1], SymInt):
            if not kwargs.pop("return_indices", False):
                return max_pool1d(*args, **kwargs)
            kwargs["return_indices"] = True
        if name in POOLING and kwargs in ({}, {"return_indices": False}):
            rank, pooled = POOLING[name]
            if _is_unknown_pooling(*args, rank=rank):
                return _pooled(args[0], args[1], rank, pooled)
        if func is functional.rrelu:
            return _rectified(*args, **kwargs)
        if not kwargs and (spelled := cell(name, args)) is not None:
            return spelled()
        return func(*args, **kwargs)


def _rectified(
    input: Tensor,
    lower: float = 1 / 8,
    upper: float = 1 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """``F.rrelu``."""
    if training:
        return functional.rrelu(input, lower, upper, True, inplace)
    return functional.leaky_relu(input, (lower + upper) / 2, inplace)


def _is_unknown_recurrence(args: tuple[Any, ...]) -> bool:
    if len(args) != _ARGUMENTS or not isinstance(args[3], bool) or args[0].dim() != 3:
        return False
    _, _, weights, biases, layers, dropout, training, bidirectional, batch_first = args
    drops = training and dropout > 0 and layers > 1
    directions = layers * (2 if bidirectional else 1)
    projects = len(weights) != directions * (4 if biases else 2)
    return isinstance(args[0].shape[1 if batch_first else 0], SymInt) and not (drops or projects)


def _is_unknown_pooling(x: Tensor, wanted: Any, *rest: Any, rank: int) -> bool:
    """Return whether this is pooling without places to numbers that are known, or keeps sizes."""
    sizes = x.shape[-rank:]
    known = all(
        type(count) is int or _is_size(count, size)
        for count, size in zip(_counts(wanted, rank), sizes, strict=True)
    )
    unknown = any(isinstance(size, SymInt) for size in sizes)
    return known and unknown and not any(rest) and x.dtype in (torch.float32, torch.float64)


def _is_size(count: Any, size: int | SymInt) -> bool:
    if isinstance(count, SymInt) and isinstance(size, SymInt):
        return bool(count.node.expr == size.node.expr)
    return count is None


def _counts(wanted: Any, rank: int) -> list[Any]:
    counts = list(wanted) if isinstance(wanted, list | tuple) else [wanted]
    return counts * rank if len(counts) == 1 else counts


def _pooled(
    x: Tensor, wanted: Any, rank: int, pooled: Callable[[Tensor, int, int], Tensor]
) -> Tensor:
    for number, count in enumerate(_counts(wanted, rank)):
        if type(count) is int:
            x = pooled(x, x.dim() - rank + number, count)
    return x


def _as_one(kind: str, args: tuple[Any, ...]) -> tuple[Tensor, ...]:
    x, states, weights, biases, layers, _, _, bidirectional, batch_first = args
    given = list(states) if kind == "lstm" else [states]
    return tuple(
        RECURRENT(kind, x, given, list(weights), biases, layers, bidirectional, batch_first)
    )
