"""Operators that give the same elements another shape."""

from collections.abc import Sequence
from typing import Any

from tvm import tirx

from dycl.backends.tvm.emitter import Emitter
from dycl.backends.tvm.lowering import dimension, lowers
from dycl.backends.tvm.run_time_sizes import is_one
from dycl.backends.tvm.sizes import Size, at_least, expression, is_known, product_of
from dycl.backends.tvm.tensors import Tensor


@lowers(
    *("view.default", "_unsafe_view.default", "reshape.default", "_reshape_copy.default"),
    "view_copy.default",
)
def _view(emitter: Emitter, x: Tensor, sizes: Sequence[Size]) -> Tensor:
    return emitter.reshape(x, _resolved(emitter, x, sizes))


def _resolved(emitter: Emitter, x: Tensor, sizes: Sequence[Size]) -> list[Size]:
    """Return sizes of which one may be -1, for what is left."""
    unsure = [d for d, size in enumerate(sizes) if size != -1 and not at_least(size, 0)]
    if -1 not in sizes and len(unsure) == 1:
        return _perhaps_resolved(emitter, x, sizes, unsure[0])
    for d in unsure:
        emitter.sizes.demand_at_least(sizes[d], 0)
    if -1 not in sizes:
        return list(sizes)
    others = product_of(size for size in sizes if size != -1)
    emitter.sizes.demand_at_least(others, 1)  # none at all would leave it open
    rest = emitter.sizes.quotient(product_of(x.shape), others)
    return [rest if size == -1 else size for size in sizes]


def _perhaps_resolved(emitter: Emitter, x: Tensor, sizes: Sequence[Size], dim: int) -> list[Size]:
    """Return sizes of which one may turn out to be -1 at run time."""
    table, size = emitter.sizes, sizes[dim]
    table.demand_at_least(size, -1)
    others = product_of(other for d, other in enumerate(sizes) if d != dim)
    rest = expression(table.quotient(product_of(x.shape), others))
    open_fits = tirx.any(expression(size) >= 0, expression(others) >= 1)
    table.demand(("open", size, others), open_fits, "RuntimeError")
    value = tirx.Select(expression(size) < 0, rest, expression(size))
    found = table.define(("resolved", size, others, product_of(x.shape)), value)
    return [found if d == dim else other for d, other in enumerate(sizes)]


@lowers("unsqueeze.default")
def _unsqueeze(emitter: Emitter, x: Tensor, dim: int) -> Tensor:
    dim = dimension(dim, len(x.shape) + 1)
    return emitter.reshape(x, (*x.shape[:dim], 1, *x.shape[dim:]))


@lowers("squeeze.dim", "squeeze.dims", "squeeze.default")
def _squeeze(emitter: Emitter, x: Tensor, dims: Any = None) -> Tensor:
    rank = len(x.shape)
    if dims is None:
        dims = range(rank)
    wanted = {dimension(dim, rank) for dim in ([dims] if isinstance(dims, int) else dims)}
    for d in sorted(wanted):
        if rank and not is_known(x.shape[d]):
            # the trace has decided that it stays
            differs = tirx.Not(is_one(expression(x.shape[d])))
            emitter.sizes.demand(("not one", x.shape[d]), differs, "RuntimeError")
    return emitter.reshape(x, [s for d, s in enumerate(x.shape) if d not in wanted or s != 1])


@lowers("flatten.using_ints")
def _flatten(emitter: Emitter, x: Tensor, start: int = 0, end: int = -1) -> Tensor:
    rank = len(x.shape)
    first, last = dimension(start, rank), dimension(end, rank)
    inner = product_of(x.shape[first : last + 1])
    return emitter.reshape(x, (*x.shape[:first], inner, *x.shape[last + 1 :]))
