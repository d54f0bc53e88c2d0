"""Operators that bring several elements together: sums, extremes, running sums, orders."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from tvm import te, tirx

from dycl.backends.tvm import formulas
from dycl.backends.tvm.emitter import Emitter
from dycl.backends.tvm.kernels import Combine, running
from dycl.backends.tvm.lowering import accumulated, dimension, dimensions_of, lowers
from dycl.backends.tvm.lowering_blocks import sum_of_blocks
from dycl.backends.tvm.operands import scalar, zero
from dycl.backends.tvm.sizes import Size, dimensions, product_of
from dycl.backends.tvm.tensors import Expression, Tensor, type_name


def reduced(shape: Sequence[Size], dims: Sequence[int], keepdim: bool) -> tuple[Size, ...]:
    """Return the shape that a reduction leaves."""
    if keepdim:
        return tuple(1 if d in dims else size for d, size in enumerate(shape))
    return tuple(size for d, size in enumerate(shape) if d not in dims)


def _axes(shape: Sequence[Size], dims: Sequence[int]) -> dict[int, Expression]:
    sizes = dimensions(shape)
    return {d: te.reduce_axis((zero(), sizes[d]), name=f"k{d}") for d in dims}


def _place(
    index: Sequence[Expression], axes: dict[int, Expression], rank: int, keepdim: bool
) -> tuple[Expression, ...]:
    """Return where the input is read for an element of the output."""
    if keepdim:
        return tuple(axes.get(d, index[d]) for d in range(rank))
    rest = iter(index)
    return tuple(axes[d] if d in axes else next(rest) for d in range(rank))


def _reduce(
    emitter: Emitter,
    name: str,
    x: Tensor,
    dims: tuple[int, ...],
    keepdim: bool,
    combine: Callable[..., Expression],
    empty: bool | int | float,
    inner: torch.dtype,
    term: Callable[[Expression], Expression] = lambda value: value,
) -> Tensor:
    """Emit one reduction in the element type ``inner``."""
    shape = reduced(x.shape, dims, keepdim)
    if 0 in x.shape:
        return emitter.full(shape, empty, inner)
    if not dims:
        return emitter.elementwise(name, term, [x], inner)

    def formula(a: Expression) -> Expression:
        axes = _axes(x.shape, dims)

        def element(*index: Expression) -> Expression:
            value = a(*_place(index, axes, len(x.shape), keepdim))
            return combine(formulas.cast(term(value), type_name(inner)), axis=list(axes.values()))

        return te.compute(dimensions(shape), element, name=name)

    return emitter.emit(name, formula, [x], shape, inner)


@lowers("sum.default", "sum.dim_IntList")
def _sum(
    emitter: Emitter, x: Tensor, dims: Any = None, keepdim: bool = False, dtype: Any = None
) -> Tensor:
    result = emitter.result.dtype
    over = dimensions_of(dims, len(x.shape))
    total = _reduce(emitter, "sum", x, over, keepdim, te.sum, 0, accumulated(result))
    return emitter.cast(total, result)


@lowers("mean.default", "mean.dim", blocks=True)
def _mean(
    emitter: Emitter, x: Tensor, dims: Any = None, keepdim: bool = False, dtype: Any = None
) -> Tensor:
    result = emitter.result.dtype
    over = dimensions_of(dims, len(x.shape))
    count = product_of(x.shape[d] for d in over)
    if x.block and over == (2, 3) and result == torch.float32 and 0 not in x.shape:
        total = sum_of_blocks(emitter, x, keepdim)
    else:
        x = emitter.plain(x)
        total = _reduce(emitter, "sum", x, over, keepdim, te.sum, 0, accumulated(result))

    def divide(value: Expression) -> Expression:
        dtype = formulas.dtype_of(value)
        return value / scalar(count, dtype)

    return emitter.elementwise("mean", divide, [total], result)


_product = te.comm_reducer(lambda a, b: a * b, lambda dtype: tirx.const(1, dtype), name="product")
_any_of = te.comm_reducer(
    lambda a, b: tirx.max(a, b), lambda dtype: tirx.const(0, dtype), name="any_of"
)
_all_of = te.comm_reducer(
    lambda a, b: tirx.min(a, b), lambda dtype: tirx.const(1, dtype), name="all_of"
)
_largest = te.comm_reducer(formulas.maximum, formulas.lowest, name="largest")
_smallest = te.comm_reducer(formulas.minimum, formulas.highest, name="smallest")


@lowers("prod.default", "prod.dim_int")
def _prod(
    emitter: Emitter, x: Tensor, dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> Tensor:
    result = emitter.result.dtype
    if not isinstance(dim, int):
        dim = None
    over = dimensions_of(dim, len(x.shape))
    total = _reduce(emitter, "prod", x, over, keepdim, _product, 1, accumulated(result))
    return emitter.cast(total, result)


def _bytes(value: Expression) -> Expression:
    return formulas.cast(formulas.cast(value, "bool"), "int8")


@lowers("any.default", "any.dim", "any.dims")
def _any(emitter: Emitter, x: Tensor, dims: Any = None, keepdim: bool = False) -> Tensor:
    over = dimensions_of(dims, len(x.shape))
    found = _reduce(emitter, "any", x, over, keepdim, _any_of, 0, torch.int8, _bytes)
    return emitter.cast(found, emitter.result.dtype)


@lowers("all.default", "all.dim", "all.dims")
def _all(emitter: Emitter, x: Tensor, dims: Any = None, keepdim: bool = False) -> Tensor:
    over = dimensions_of(dims, len(x.shape))
    found = _reduce(emitter, "all", x, over, keepdim, _all_of, 1, torch.int8, _bytes)
    return emitter.cast(found, emitter.result.dtype)


def total(
    emitter: Emitter, x: Tensor, over: tuple[int, ...], keepdim: bool, inner: torch.dtype
) -> Tensor:
    """Return sums over dimensions, kept in the element type ``inner``."""
    return _reduce(emitter, "sum", x, over, keepdim, te.sum, 0, inner)


def largest(emitter: Emitter, x: Tensor, over: tuple[int, ...], keepdim: bool) -> Tensor:
    """Return the largest numbers, or NaN."""
    return _reduce(emitter, "largest", x, over, keepdim, _largest, 0, x.dtype)


def smallest(emitter: Emitter, x: Tensor, over: tuple[int, ...], keepdim: bool) -> Tensor:
    """Return the smallest numbers, or NaN."""
    return _reduce(emitter, "smallest", x, over, keepdim, _smallest, 0, x.dtype)


def _extreme(emitter: Emitter, x: Tensor, dims: Any, keepdim: bool, combine: Any) -> Tensor:
    over = dimensions_of(dims, len(x.shape))
    require_some(emitter, x, over, dims)
    inner = torch.int8 if x.dtype == torch.bool else x.dtype
    found = _reduce(emitter, "extreme", x, over, keepdim, combine, 0, inner)
    return emitter.cast(found, x.dtype)


def require_some(emitter: Emitter, x: Tensor, over: Sequence[int], dims: Any) -> None:
    """Have the function raise where there are no numbers to choose from, as PyTorch does."""
    error = "RuntimeError" if dims is None or dims == [] else "IndexError"
    for dim in over:
        emitter.sizes.demand_at_least(x.shape[dim], 1, error)


@lowers("amax.default", "max.default")
def _amax(emitter: Emitter, x: Tensor, dims: Any = None, keepdim: bool = False) -> Tensor:
    return _extreme(emitter, x, dims, keepdim, _largest)


@lowers("amin.default", "min.default")
def _amin(emitter: Emitter, x: Tensor, dims: Any = None, keepdim: bool = False) -> Tensor:
    return _extreme(emitter, x, dims, keepdim, _smallest)


def ahead(left: Expression, right: Expression, descending: bool, nan_first: bool) -> Expression:
    """Return whether ``left`` is sorted before ``right``; NaN comes first or last."""
    smaller = left > right if descending else left < right
    if not formulas.is_float(left):
        return smaller
    left_nan, right_nan = formulas.is_nan(left), formulas.is_nan(right)
    first, second = (left_nan, right_nan) if nan_first else (right_nan, left_nan)
    return tirx.any(smaller, tirx.all(first, formulas.negate(second)))


def tied(left: Expression, right: Expression) -> Expression:
    """Return whether neither of two numbers is sorted before the other."""
    same = formulas.equal(left, right)
    if not formulas.is_float(left):
        return same
    return tirx.any(same, tirx.all(formulas.is_nan(left), formulas.is_nan(right)))


def arg_reducer(descending: bool, last_nan: bool = False) -> Any:
    """Return a reducer of (place, value) to the first place of the extreme value.

    Where that is NaN, it may also be the last place.
    """

    def combine(left: Any, right: Any) -> Any:
        (left_place, left_value), (right_place, right_value) = left, right
        earlier = left_place < right_place
        if last_nan and formulas.is_float(left_value):
            earlier = tirx.Select(formulas.is_nan(left_value), left_place > right_place, earlier)
        keep = tirx.any(
            ahead(left_value, right_value, descending, nan_first=True),
            tirx.all(tied(left_value, right_value), earlier),
        )
        return (
            tirx.Select(keep, left_place, right_place),
            tirx.Select(keep, left_value, right_value),
        )

    def identity(place: str, value: str) -> Any:
        worst = formulas.lowest(value) if descending else formulas.highest(value)
        return tirx.max_value(place), worst

    return te.comm_reducer(combine, identity, name="extreme_place")


def places_of_extremes(
    emitter: Emitter, x: Tensor, dim: int | None, keepdim: bool, descending: bool
) -> Tensor:
    """Return where the extremes are: along one dimension, or in the flattened tensor."""
    if x.dtype == torch.bool:
        x = emitter.cast(x, torch.int8)
    if not x.shape:
        return emitter.full((), 0, torch.int64)
    whole = x.shape
    require_some(emitter, x, dimensions_of(dim, len(x.shape)), dim)
    if dim is None:
        x, dim = emitter.reshape(x, (product_of(x.shape),)), 0
        shape: tuple[int, ...] = (1,) * len(whole) if keepdim else ()
        return emitter.reshape(places_of_extremes(emitter, x, 0, False, descending), shape)
    over = (dimension(dim, len(x.shape)),)
    shape = reduced(x.shape, over, keepdim)

    def formula(a: Expression) -> Expression:
        reducer = arg_reducer(descending)
        axes = _axes(x.shape, over)

        def element(*index: Expression) -> Expression:
            value = a(*_place(index, axes, len(x.shape), keepdim))
            return reducer((axes[over[0]], value), axis=list(axes.values()))

        return te.compute(dimensions(shape), element, name="place")[0]

    return emitter.emit("place", formula, [x], shape, torch.int64)


@lowers("argmax.default")
def _argmax(emitter: Emitter, x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    return places_of_extremes(emitter, x, dim, keepdim, True)


@lowers("argmin.default")
def _argmin(emitter: Emitter, x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    return places_of_extremes(emitter, x, dim, keepdim, False)


@lowers("max.dim")
def _max_dim(emitter: Emitter, x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, ...]:
    values = _extreme(emitter, x, dim, keepdim, _largest)
    return values, places_of_extremes(emitter, x, dim, keepdim, True)


@lowers("min.dim")
def _min_dim(emitter: Emitter, x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, ...]:
    values = _extreme(emitter, x, dim, keepdim, _smallest)
    return values, places_of_extremes(emitter, x, dim, keepdim, False)


@lowers("cumsum.default")
def _cumsum(emitter: Emitter, x: Tensor, dim: int, dtype: Any = None) -> Tensor:
    return _so_far(emitter, "cumsum", x, dim, lambda before, value: before + value)


@lowers("cumprod.default")
def _cumprod(emitter: Emitter, x: Tensor, dim: int, dtype: Any = None) -> Tensor:
    return _so_far(emitter, "cumprod", x, dim, lambda before, value: before * value)


def _so_far(emitter: Emitter, name: str, x: Tensor, dim: int, combine: Combine) -> Tensor:
    """Combine from first to last, floats in double precision as PyTorch does."""
    result = emitter.result.dtype
    x = emitter.cast(x, torch.float64 if result.is_floating_point else result)
    if not x.shape:
        return emitter.cast(x, result)
    found = running(emitter, name, x, dimension(dim, len(x.shape)), combine)
    return emitter.cast(found, result)
