"""Operators that put tensors together, or something around them."""

import itertools
from collections.abc import Sequence
from typing import Any

from tvm import tirx

from dycl.backends.tvm.emitter import Emitter
from dycl.backends.tvm.lowering import dimension, lowers
from dycl.backends.tvm.operands import scalar
from dycl.backends.tvm.sizes import Size, dimensions, is_known
from dycl.backends.tvm.tensors import Expression, Tensor, type_name


@lowers("cat.default")
def _cat(emitter: Emitter, tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    result = emitter.result.dtype
    rank = len(emitter.result.meta.shape)
    dim = dimension(dim, rank)
    # PyTorch leaves out one-dimensional empty tensors, whatever the rank of the others
    full = [x for x in tensors if x.shape != (0,)] or list(tensors[:1])
    shape = list(full[0].shape)
    for x in full[1:]:
        for d in range(rank):
            if d == dim:
                shape[d] += x.shape[d]
            else:
                emitter.sizes.demand_equal(x.shape[d], shape[d])
    parts = [emitter.cast(x, result) for x in full if 0 not in x.shape]
    if not parts:
        return emitter.full(shape, 0, result)
    ends = list(itertools.accumulate(x.shape[dim] for x in parts))

    def element(index: Sequence[Expression], *arrays: Expression) -> Expression:
        value = None
        for x, end, a in reversed(list(zip(parts, ends, arrays, strict=True))):
            start, finish = dimensions((end - x.shape[dim], end))
            own = a(*(i - start if d == dim else i for d, i in enumerate(index)))
            value = own if value is None else tirx.if_then_else(index[dim] < finish, own, value)
        return value

    return emitter.compute("cat", element, parts, shape, result)


@lowers("stack.default")
def _stack(emitter: Emitter, tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    rank = len(emitter.result.meta.shape)
    dim = dimension(dim, rank)
    parts = [emitter.reshape(x, (*x.shape[:dim], 1, *x.shape[dim:])) for x in tensors]
    return _cat(emitter, parts, dim)


@lowers("constant_pad_nd.default")
def _pad(emitter: Emitter, x: Tensor, pads: Sequence[Size], value: Any = 0) -> Tensor:
    rank = len(x.shape)
    before, after = [0] * rank, [0] * rank
    for number in range(len(pads) // 2):
        before[rank - 1 - number], after[rank - 1 - number] = pads[2 * number : 2 * number + 2]
    shape = [size + low + high for size, low, high in zip(x.shape, before, after, strict=True)]
    for size in shape:
        emitter.sizes.demand_at_least(size, 0)
    if 0 in x.shape:
        return emitter.full(shape, value, x.dtype)

    def element(index: Sequence[Expression], a: Expression) -> Expression:
        sizes, moved = dimensions(x.shape), dimensions(before)
        own = [i - low for i, low in zip(index, moved, strict=True)]
        inside = [p >= 0 for p, low in zip(own, before, strict=True) if not _is_cut(low)]
        inside += [p < n for p, n, high in zip(own, sizes, after, strict=True) if not _is_cut(high)]
        if not inside:
            return a(*own)
        filler = scalar(value, type_name(x.dtype))
        return tirx.if_then_else(tirx.all(*inside), a(*own), filler)

    return emitter.compute("pad", element, [x], shape, x.dtype)


def _is_cut(pad: Size) -> bool:
    """Return whether it is known that nothing is added."""
    return is_known(pad) and pad <= 0
