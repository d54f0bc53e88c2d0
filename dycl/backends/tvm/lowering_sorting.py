"""Sorting: by counting, for each element, how many come before it; picking where few are wanted."""

from typing import Any

import torch
from tvm import te, tirx

from dycl.backends.tvm import formulas
from dycl.backends.tvm.emitter import Emitter
from dycl.backends.tvm.kernels import Statement, emit_statements, load, loop, store
from dycl.backends.tvm.lowering import dimension, lowers, unsupported
from dycl.backends.tvm.lowering_indexing import take_along
from dycl.backends.tvm.lowering_reductions import ahead, tied
from dycl.backends.tvm.operands import zero
from dycl.backends.tvm.sizes import Size, dimensions, is_known, product_of
from dycl.backends.tvm.tensors import Expression, Tensor

_SORTED_AT_MOST = 2048
"""All pairs of a row are compared; beyond this a program would wait for it. The first elements of
longer rows are picked one after the other."""


def order(emitter: Emitter, x: Tensor, dim: int, descending: bool, count: Size) -> Tensor:
    """Return the places of the first ``count`` elements in sorted order; ties stay in order."""
    axis = dimension(dim, len(x.shape))
    length = x.shape[axis]
    if is_known(length) and length > _SORTED_AT_MOST:
        raise unsupported(f"sorting rows of more than {_SORTED_AT_MOST} elements")

    def rank(a: Expression) -> Expression:
        k = te.reduce_axis((zero(), dimensions(x.shape)[axis]), name="k")

        def element(*index: Expression) -> Expression:
            own, other = a(*index), a(*(k if d == axis else i for d, i in enumerate(index)))
            tie = tirx.all(tied(own, other), k < index[axis])
            before = tirx.any(ahead(other, own, descending, nan_first=descending), tie)
            return te.sum(formulas.cast(before, "int64"), axis=k)

        return te.compute(dimensions(x.shape), element, name="rank")

    ranks = emitter.emit("rank", rank, [x], x.shape, torch.int64)
    shape = tuple(count if d == axis else size for d, size in enumerate(x.shape))

    def inverse(a: Expression) -> Expression:
        k = te.reduce_axis((zero(), dimensions(x.shape)[axis]), name="k")

        def element(*index: Expression) -> Expression:
            other = a(*(k if d == axis else i for d, i in enumerate(index)))
            return te.sum(tirx.Select(formulas.equal(other, index[axis]), k, zero()), axis=k)

        return te.compute(dimensions(shape), element, name="order")

    return emitter.emit("order", inverse, [ranks], shape, torch.int64)


@lowers("sort.default", "sort.stable")
def _sort(
    emitter: Emitter, x: Tensor, dim: int = -1, descending: bool = False, *, stable: Any = None
) -> tuple[Tensor, ...]:
    if not x.shape:
        return x, emitter.full((), 0, torch.int64)
    dim = dimension(dim, len(x.shape))
    places = order(emitter, _orderable(emitter, x), dim, descending, x.shape[dim])
    return take_along(emitter, x, dim, places), places


@lowers("topk.default")
def _topk(
    emitter: Emitter,
    x: Tensor,
    count: Size,
    dim: int = -1,
    largest: bool = True,
    sorted: bool = True,
) -> tuple[Tensor, ...]:
    if not x.shape:
        raise unsupported("topk of a tensor without dimensions")
    dim = dimension(dim, len(x.shape))
    emitter.sizes.demand_at_least(count, 0)
    emitter.sizes.demand_at_least(x.shape[dim], count)
    find = order if _is_short(x.shape[dim]) else _first_ones
    places = find(emitter, _orderable(emitter, x), dim, largest, count)
    return take_along(emitter, x, dim, places), places


def _is_short(length: Size) -> bool:
    return is_known(length) and length <= _SORTED_AT_MOST


def _first_ones(emitter: Emitter, x: Tensor, axis: int, descending: bool, count: Size) -> Tensor:
    """Return what ``order`` does: each place is found in one walk over the row."""
    around = product_of(x.shape[:axis]), product_of(x.shape[axis + 1 :])
    flat = emitter.reshape(x, (around[0], x.shape[axis], around[1]))
    shape = (around[0], count, around[1])

    def make(out: Expression, a: Expression) -> Statement:
        rows, steps, columns = dimensions(flat.shape)
        (picked,) = dimensions([count])

        def pick(i: Expression, j: Expression, k: Expression) -> Statement:
            def look(s: Expression) -> Statement:
                own, best = load(a, i, s, j), load(a, i, load(out, i, k, j), j)
                take = store(out, s, i, k, j)
                is_best = ahead(own, best, descending, nan_first=descending)
                better = tirx.IfThenElse(
                    load(out, i, k, j) < zero(), take, tirx.IfThenElse(is_best, take, None)
                )
                last = load(out, i, k - 1, j)
                before = load(a, i, last, j)
                is_later = tirx.any(
                    ahead(before, own, descending, nan_first=descending),
                    tirx.all(tied(before, own), last < s),
                )
                follows = tirx.IfThenElse(is_later, better, None)
                return tirx.IfThenElse(tirx.EQ(k, zero()), better, follows)

            none = store(out, zero() - 1, i, k, j)
            return tirx.SeqStmt([none, loop(steps, look)])

        return loop(rows, lambda i: loop(columns, lambda j: loop(picked, lambda k: pick(i, j, k))))

    places = emit_statements(emitter, "pick", make, [flat], shape, torch.int64)
    return emitter.reshape(places, tuple(count if d == axis else n for d, n in enumerate(x.shape)))


def _orderable(emitter: Emitter, x: Tensor) -> Tensor:
    return emitter.cast(x, torch.int8) if x.dtype == torch.bool else x
