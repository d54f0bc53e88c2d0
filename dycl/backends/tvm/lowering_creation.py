"""Operators that make tensors from nothing, or from a tensor's shape alone."""

from typing import Any

import torch

from dycl.backends.tvm.emitter import Emitter
from dycl.backends.tvm.lowering import lowers
from dycl.backends.tvm.lowering_shapes import expanded
from dycl.backends.tvm.tensors import Tensor


@lowers(
    *("full.default", "full_like.default", "new_full.default", "fill.Scalar"),
    "scalar_tensor.default",
)
def _full(emitter: Emitter, *arguments: Any, **_options: Any) -> Tensor:
    return emitter.full(emitter.result.shape, arguments[-1], emitter.result.dtype)


@lowers("zeros.default", "zeros_like.default", "new_zeros.default")
def _zeros(emitter: Emitter, *_arguments: Any, **_options: Any) -> Tensor:
    return emitter.full(emitter.result.shape, 0, emitter.result.dtype)


@lowers("ones.default", "ones_like.default", "new_ones.default")
def _ones(emitter: Emitter, *_arguments: Any, **_options: Any) -> Tensor:
    return emitter.full(emitter.result.shape, 1, emitter.result.dtype)


@lowers(
    *("empty.memory_format", "empty_like.default", "new_empty.default"), "empty_permuted.default"
)
def _empty(emitter: Emitter, *_arguments: Any, **_options: Any) -> Tensor:
    # the statements run in ``ZeroedMemory``: what is not written is zero
    return emitter.full(emitter.result.shape, 0, emitter.result.dtype)


@lowers("copy.default")
def _copy(emitter: Emitter, target: Tensor, source: Tensor, non_blocking: bool = False) -> Tensor:
    return emitter.cast(expanded(emitter, source), target.dtype)


@lowers("arange.start_step", "arange.default", "arange.start")
def _arange(emitter: Emitter, *arguments: Any, **_options: Any) -> Tensor:
    # computed by PyTorch itself: which steps of floats it counts is its own affair
    bounds = [a for a in arguments if isinstance(a, int | float)]
    return emitter.constant(torch.arange(*bounds, dtype=emitter.result.dtype))
