"""Operators that make tensors from nothing, or from a tensor's shape alone."""

from collections.abc import Sequence
from typing import Any

import torch

from dycl.backends.tvm import formulas
from dycl.backends.tvm.emitter import Emitter
from dycl.backends.tvm.lowering import lowers, unsupported
from dycl.backends.tvm.lowering_shapes import expanded
from dycl.backends.tvm.sizes import Size, expression, is_known, is_number
from dycl.backends.tvm.tensors import Expression, Tensor, type_name


def _wanted(*arguments: Any) -> Sequence[Size]:
    """Return the shape that is asked for: as a list, or of a tensor."""
    for argument in arguments:
        if isinstance(argument, list | tuple):
            return argument
    return arguments[0].shape if arguments else ()


@lowers(
    *("full.default", "full_like.default", "new_full.default", "fill.Scalar"),
    "scalar_tensor.default",
)
def _full(emitter: Emitter, *arguments: Any, **_options: Any) -> Tensor:
    return emitter.full(_wanted(*arguments[:-1]), arguments[-1], emitter.result.dtype)


@lowers("zeros.default", "zeros_like.default", "new_zeros.default")
def _zeros(emitter: Emitter, *arguments: Any, **_options: Any) -> Tensor:
    return emitter.full(_wanted(*arguments), 0, emitter.result.dtype)


@lowers("ones.default", "ones_like.default", "new_ones.default")
def _ones(emitter: Emitter, *arguments: Any, **_options: Any) -> Tensor:
    return emitter.full(_wanted(*arguments), 1, emitter.result.dtype)


@lowers(
    *("empty.memory_format", "empty_like.default", "new_empty.default"), "empty_permuted.default"
)
def _empty(emitter: Emitter, *arguments: Any, **_options: Any) -> Tensor:
    # the statements run in ``ZeroedMemory``: what is not written is zero
    return emitter.full(_wanted(*arguments), 0, emitter.result.dtype)


@lowers("copy.default")
def _copy(emitter: Emitter, target: Tensor, source: Tensor, non_blocking: bool = False) -> Tensor:
    return emitter.cast(expanded(emitter, source, target.shape), target.dtype)


@lowers("arange.start_step", "arange.default", "arange.start")
def _arange(emitter: Emitter, *arguments: Any, **_options: Any) -> Tensor:
    bounds = [a for a in arguments if isinstance(a, int | float) or is_number(a)]
    if any(map(is_number, bounds)):
        return _counted(emitter, *bounds)
    # computed by PyTorch itself: which steps of floats it counts is its own affair
    return emitter.constant(torch.arange(*bounds, dtype=emitter.result.dtype))


def _counted(emitter: Emitter, *bounds: Size) -> Tensor:
    """Return the integers of a range."""
    start, end = bounds[:2] if len(bounds) > 1 else (0, bounds[0])
    step = bounds[2] if len(bounds) > 2 else 1
    if not is_known(step) or step == 0 or any(isinstance(bound, float) for bound in bounds):
        raise unsupported("a range whose step is known only at run time, or of floats")
    distance = end - start if step > 0 else start - end
    emitter.sizes.demand_at_least(distance, 0)
    length = emitter.sizes.divided(distance, abs(step))
    dtype = emitter.result.dtype

    def element(index: Sequence[Expression]) -> Expression:
        return formulas.cast(expression(start) + index[0] * int(step), type_name(dtype))

    return emitter.compute("arange", element, [], [length], dtype)
