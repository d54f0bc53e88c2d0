"""Layers that normalise by what they are given and change the statistics that their module keeps.

PyTorch's kernels do not say which of their arguments they write.
"""

from collections.abc import Callable, Mapping, Sequence

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.modules.batchnorm import _NormBase

from rewriter.evaluation.rendering import tensor_of
from rewriter.prelude import statistics
from rewriter.values import Known, Value

_BY_BATCH = (statistics.batch_norm, "training", False)
_BY_INSTANCE = (statistics.instance_norm, "use_input_stats", True)
_KEPT = ("running_mean", "running_var")
_LEARNT = ("weight", "bias")
_SPELLED: dict[object, tuple[Callable[..., object], str, bool, tuple[str, ...]]] = {
    F.batch_norm: (*_BY_BATCH, (*_KEPT, *_LEARNT)),
    torch.batch_norm: (*_BY_BATCH, (*_LEARNT, *_KEPT)),
    F.instance_norm: (*_BY_INSTANCE, (*_KEPT, *_LEARNT)),
    torch.instance_norm: (*_BY_INSTANCE, (*_LEARNT, *_KEPT)),
}
"""What spells out a function, what tells it to change statistics, and the order of parameters."""
_TYPES = {
    *((kind, kind, kind) for kind in (torch.float32, torch.float64)),
    *((kind, torch.float32, torch.float32) for kind in (torch.float16, torch.bfloat16)),
}
"""Element types of input, mean and variance that go together."""


def keeps_statistics(module: nn.Module) -> bool:
    """Return whether a layer, or one of its parts, changes its statistics."""
    return any(
        isinstance(part, _NormBase) and part.training and part.running_mean is not None
        for part in module.modules()
    )


def with_statistics(
    function: object, positional: Sequence[Value], keywords: Mapping[str, Value]
) -> tuple[Known, dict[str, Value]] | None:
    """Return what spells out a function where it changes statistics, and its arguments."""
    if function not in _SPELLED:
        return None
    spelled, asked, default, order = _SPELLED[function]
    names = ("input", *order, asked, "momentum", "eps", "cudnn_enabled")
    given = dict(zip(names, positional, strict=False)) | dict(keywords)
    given.pop("cudnn_enabled", None)
    tensors = [tensor_of(given.get(name, Known(None))) for name in ("input", *_KEPT)]
    kinds = tuple(None if tensor is None else tensor.dtype for tensor in tensors)
    changes = given.get(asked, Known(default))
    is_spelled = isinstance(changes, Known) and bool(changes.value)
    return (Known(spelled), given) if is_spelled and kinds in _TYPES else None
