"""Storing at places: masks stand beside slices and integers, and may choose nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from onnxscript import ir

from dycl.backends.onnx_graphs.translations.values import Value, axes, flat, integer, op

_MASKS = (ir.DataType.BOOL, ir.DataType.UINT8)
_CHOSEN_FROM = (
    *(ir.DataType.FLOAT, ir.DataType.DOUBLE),
    *(ir.DataType.INT32, ir.DataType.INT64, ir.DataType.UINT8),
)
"""What the runtime's ``Where`` takes."""


def index_put(
    self: Value, indices: Sequence[Value | None], values: Value, accumulate: bool = False
) -> Value:
    """Translate ``index_put``: one number behind one mask is chosen, all else is scattered."""
    given = [(dim, places) for dim, places in enumerate(indices) if places is not None]
    if not given:
        spread = op.Expand(values, op.Shape(self))
        return op.Add(self, spread) if accumulate else spread
    (dim, first), *others = given
    is_number = len(values.shape) == 0 and self.dtype in _CHOSEN_FROM
    if first.dtype in _MASKS and is_number and not (others or accumulate):
        return op.Where(_beside(first, dim, len(self.shape)), values, self)
    return _Places.of(len(self.shape), given).stored(self, values, accumulate)


def index_fill(self: Value, dim: int, index: Value, value: Value | float) -> Value:
    """Translate ``index_fill``, whose places count from the end where they are negative."""
    number = op.CastLike(value, self)
    number.shape = ir.Shape([])
    rows = _at_least_one_dimension(self)
    around = [None] * (dim % len(rows.shape))
    filled = index_put(rows, [*around, _at_least_one_dimension(index)], number)
    return filled if rows is self else op.Squeeze(filled, axes(0))


def _at_least_one_dimension(x: Value) -> Value:
    if len(x.shape):
        return x
    row = flat(x)
    row.shape, row.dtype = ir.Shape([1]), x.dtype
    return row


def _beside(mask: Value, dim: int, rank: int) -> Value:
    """Return a mask with dimensions of one element behind it, as many as the tensor has."""
    behind = range(len(mask.shape), rank - dim)
    return op.Unsqueeze(_truths(mask), axes([*behind])) if behind else _truths(mask)


def _truths(mask: Value) -> Value:
    return mask if mask.dtype == ir.DataType.BOOL else op.Cast(mask, to=ir.DataType.BOOL)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Places:
    """Integers for some dimensions of a tensor, all of one shape; the others are whole."""

    dims: list[int]
    places: list[Value]
    rank: int
    tensor_rank: int

    @classmethod
    def of(cls, tensor_rank: int, given: Sequence[tuple[int, Value]]) -> "_Places":
        """Return where index tensors point: a mask stands for a column per dimension."""
        dims: list[int] = []
        columns: list[Value] = []
        for place, index in given:
            found = _columns(index)
            dims += range(place, place + len(found))
            columns += found
        rank = max(1 if index.dtype in _MASKS else len(index.shape) for _, index in given)
        if len(columns) > 1:
            columns = _of_one_shape(columns)
        return cls(dims=dims, places=columns, rank=rank, tensor_rank=tensor_rank)

    def stored(self, x: Value, values: Value, accumulate: bool) -> Value:
        """Return ``x`` with values at these places."""
        whole = [dim for dim in range(self.tensor_rank) if dim not in self.dims]
        order = [*self.dims, *whole]
        sizes = [op.Shape(self.places[0])]
        if whole:
            sizes.append(op.Gather(op.Shape(x), op.Constant(value_ints=whole), axis=0))
        target = op.Concat(*sizes, axis=0) if len(sizes) > 1 else sizes[0]
        put = op.Expand(self._places_first(values, len(whole)), target)
        where = op.Concat(*(op.Unsqueeze(column, axes(-1)) for column in self.places), axis=-1)
        reduction = "add" if accumulate else "none"
        moved = x if order == sorted(order) else op.Transpose(x, perm=order)
        found = op.ScatterND(moved, where, put, reduction=reduction)
        if moved is x:
            return found
        return op.Transpose(found, perm=[order.index(dim) for dim in range(self.tensor_rank)])

    def _places_first(self, values: Value, whole: int) -> Value:
        """Return values with the dimensions of the places first, as PyTorch has them in theirs."""
        together = self.dims == [*range(self.dims[0], self.dims[-1] + 1)]
        before = self.dims[0] if together else 0
        missing = self.rank + whole - len(values.shape)
        if before == 0 or missing >= before + self.rank:
            return values
        if missing:
            values = op.Unsqueeze(values, axes([*range(missing)]))
        there = range(before, before + self.rank)
        rest = range(before + self.rank, self.rank + whole)
        return op.Transpose(values, perm=[*there, *range(before), *rest])


def _columns(index: Value) -> list[Value]:
    """Return integers for each dimension that an index tensor stands for."""
    if index.dtype not in _MASKS:
        return [op.Cast(index, to=ir.DataType.INT64)]
    found = op.NonZero(_truths(index))
    if len(index.shape) == 1:
        return [flat(found)]
    return [op.Gather(found, integer(row), axis=0) for row in range(len(index.shape))]


def _of_one_shape(columns: Sequence[Value]) -> list[Value]:
    """Return places spread over each other; a sum has their shape, also where there are none."""
    total = columns[0]
    for column in columns[1:]:
        total = op.Add(total, column)
    return [op.Expand(column, op.Shape(total)) for column in columns]
