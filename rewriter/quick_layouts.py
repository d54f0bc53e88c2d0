"""What operators give on fake tensors whose rule in PyTorch is a long decomposition.

At each new size PyTorch runs the decomposition, operator by operator: ten milliseconds for a batch
norm. Its result is laid out as its operand is. That is said here for the common case,
contiguous tensors of float32 on the CPU, and left to PyTorch in all others.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any, TypeAlias

import torch
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily

Sizes: TypeAlias = tuple[int, ...]
_Rule: TypeAlias = Callable[[Sequence[Any]], tuple[Sizes, ...] | None]


def on_fakes(function: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """Return what an operator of ATen gives on fake tensors."""
    rule = _RULES.get(function)
    sizes = None if rule is None or keywords else rule(arguments)
    if sizes is None:
        return function(*arguments, **keywords)
    like: FakeTensor = arguments[0]
    with torch._C.DisableTorchFunction(), unset_fake_temporarily():
        made = tuple(
            FakeTensor(like.fake_mode, torch.empty(each, device="meta", dtype=like.dtype), _CPU)
            for each in sizes
        )
    return made if len(function._schema.returns) > 1 else made[0]


_CPU = torch.device("cpu")


def _batch_norm(arguments: Sequence[Any]) -> tuple[Sizes, ...] | None:
    given, weight, bias, mean, variance, training, *_ = arguments
    if training is not False or not _is_common(given) or given.dim() < 2:
        return None
    channels = (given.shape[1],)
    if not (_has_sizes(mean, channels) and _has_sizes(variance, channels)):
        return None
    if not all(each is None or _has_sizes(each, channels) for each in (weight, bias)):
        return None
    return tuple(given.shape), (0,), (0,)


def _layer_norm(arguments: Sequence[Any]) -> tuple[Sizes, ...] | None:
    given, normalised, weight, bias, *_ = arguments
    sizes = tuple(normalised)
    if not _is_common(given) or not sizes or tuple(given.shape[-len(sizes) :]) != sizes:
        return None
    if not all(each is None or _has_sizes(each, sizes) for each in (weight, bias)):
        return None
    outer = tuple(given.shape[: -len(sizes)]) + (1,) * len(sizes)
    return tuple(given.shape), outer, outer


def _of_elements(arguments: Sequence[Any]) -> tuple[Sizes, ...] | None:
    (given,) = arguments
    return (tuple(given.shape),) if _is_common(given) else None


def _has_sizes(tensor: Any, sizes: Sizes) -> bool:
    return _is_common(tensor) and tuple(tensor.shape) == sizes


def _is_common(tensor: object) -> bool:
    """Return whether a tensor is a plain one whose elements lie in memory as they are counted."""
    return (
        type(tensor) is FakeTensor
        and tensor.dtype is torch.float32
        and tensor.fake_device == _CPU
        and tensor.layout is torch.strided
        and not (tensor.is_conj() or tensor.is_neg())
        and all(type(size) is int and size > 0 for size in tensor.shape)
        and tensor.stride() == _strides(tensor.shape)
    )


def _strides(sizes: Sequence[int]) -> Sizes:
    """Return the strides of a new tensor: those of dimensions of size 1 may be others."""
    following = accumulate(reversed(sizes[1:]), operator.mul, initial=1)
    return tuple(following)[::-1][: len(sizes)]


_aten = torch.ops.aten
_RULES: dict[Any, _Rule] = {
    _aten.native_batch_norm.default: _batch_norm,
    _aten.native_layer_norm.default: _layer_norm,
    _aten.relu.default: _of_elements,
}
