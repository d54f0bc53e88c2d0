"""Complex tensors put into other shapes and orders: their pairs stay whole."""

from collections.abc import Sequence

import torch
from torch import Tensor

from dycl.capture.real_arithmetic.pairs import Number, Operand, Pairs, made_of, parts_of

Sizes = Sequence[int | torch.SymInt]


def _place(dim: int, rank: int) -> int:
    """Return a dimension counted from the front: the pairs are behind the last."""
    return dim if dim >= 0 else dim + max(rank, 1)


def view(dtype: torch.dtype, x: Pairs, sizes: Sizes) -> Pairs:
    """Return the numbers in another shape."""
    return Pairs(x.parts.reshape(*sizes, 2))


def expand(dtype: torch.dtype, x: Pairs, sizes: Sizes, *, implicit: bool = False) -> Pairs:
    """Return the numbers spread over a larger shape."""
    return Pairs(x.parts.expand(*sizes, 2))


def repeat(dtype: torch.dtype, x: Pairs, repeats: Sizes) -> Pairs:
    """Return copies side by side."""
    return Pairs(x.parts.repeat(*repeats, 1))


def permute(dtype: torch.dtype, x: Pairs, dims: Sequence[int]) -> Pairs:
    """Return the dimensions in another order."""
    return Pairs(x.parts.permute(*(_place(dim, x.rank) for dim in dims), x.rank))


def transpose(dtype: torch.dtype, x: Pairs, first: int, second: int) -> Pairs:
    """Return two dimensions exchanged."""
    if not x.rank:
        return x
    return Pairs(x.parts.transpose(_place(first, x.rank), _place(second, x.rank)))


def transpose_matrix(dtype: torch.dtype, x: Pairs) -> Pairs:
    """Return a matrix transposed."""
    return Pairs(x.parts.transpose(0, 1)) if x.rank == 2 else x


def unsqueeze(dtype: torch.dtype, x: Pairs, dim: int) -> Pairs:
    """Return one dimension of size 1 more."""
    return Pairs(x.parts.unsqueeze(_place(dim, x.rank + 1)))


def squeeze(dtype: torch.dtype, x: Pairs) -> Pairs:
    """Return the numbers without dimensions of size 1."""
    return Pairs(x.parts.squeeze())


def squeeze_dims(dtype: torch.dtype, x: Pairs, dims: int | Sequence[int]) -> Pairs:
    """Return the numbers without some dimensions, where these have size 1."""
    if not x.rank:
        return x
    found = [dims] if isinstance(dims, int) else dims
    return Pairs(x.parts.squeeze(tuple(_place(dim, x.rank) for dim in found)))


def cut(
    dtype: torch.dtype,
    x: Pairs,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Pairs:
    """Return a slice."""
    return Pairs(torch.ops.aten.slice.Tensor(x.parts, _place(dim, x.rank), start, end, step))


def select(dtype: torch.dtype, x: Pairs, dim: int, index: int) -> Pairs:
    """Return what stands at one index."""
    return Pairs(torch.ops.aten.select.int(x.parts, _place(dim, x.rank), index))


def split(dtype: torch.dtype, x: Pairs, size: int, dim: int = 0) -> list[Pairs]:
    """Return parts of equal size."""
    found = torch.ops.aten.split.Tensor(x.parts, size, _place(dim, x.rank))
    return [Pairs(part) for part in found]


def split_with_sizes(dtype: torch.dtype, x: Pairs, sizes: Sizes, dim: int = 0) -> list[Pairs]:
    """Return parts of given sizes."""
    place = _place(dim, x.rank)
    found = torch.ops.aten.split_with_sizes.default(x.parts, list(sizes), place)
    return [Pairs(part) for part in found]


def unbind(dtype: torch.dtype, x: Pairs, dim: int = 0) -> list[Pairs]:
    """Return what stands at each index."""
    return [Pairs(part) for part in x.parts.unbind(_place(dim, x.rank))]


def flip(dtype: torch.dtype, x: Pairs, dims: Sequence[int]) -> Pairs:
    """Return some dimensions backwards."""
    return Pairs(x.parts.flip([_place(dim, x.rank) for dim in dims]) if x.rank else x.parts)


def concatenate(dtype: torch.dtype, tensors: Sequence[Pairs | Tensor], dim: int = 0) -> Pairs:
    """Return tensors one after the other."""
    found = [_as_pairs(each, dtype) for each in tensors]
    if len({each.rank for each in found}) > 1:
        raise NotImplementedError("complex tensors of different ranks, one after the other")
    return Pairs(torch.cat([each.parts for each in found], _place(dim, found[0].rank)))


def stack(dtype: torch.dtype, tensors: Sequence[Pairs | Tensor], dim: int = 0) -> Pairs:
    """Return tensors side by side in a new dimension."""
    found = [_as_pairs(each, dtype) for each in tensors]
    return Pairs(torch.stack([each.parts for each in found], _place(dim, found[0].rank + 1)))


def _as_pairs(operand: Pairs | Tensor, dtype: torch.dtype) -> Pairs:
    if isinstance(operand, Pairs):
        return operand.to(dtype)
    return made_of(*parts_of(operand, operand, dtype))


def pad(dtype: torch.dtype, x: Pairs, pad: Sizes, value: Operand = 0) -> Pairs:
    """Return the numbers with one number before and after them."""
    number = complex(value) if isinstance(value, int | float | complex) else 0j
    filled = ((x.real, number.real), (x.imag, number.imag))
    return made_of(*(torch.constant_pad_nd(part, pad, filling) for part, filling in filled))


def roll(dtype: torch.dtype, x: Pairs, shifts: Sizes, dims: Sequence[int] = ()) -> Pairs:
    """Return the numbers moved along some dimensions, round to the beginning."""
    if not dims:
        return Pairs(x.parts.reshape(-1, 2).roll(shifts, 0).reshape(x.parts.shape))
    return Pairs(x.parts.roll(shifts, [_place(dim, x.rank) for dim in dims]))


def index(dtype: torch.dtype, x: Pairs, indices: Sequence[Tensor | None]) -> Pairs:
    """Return what stands at the indices of tensors."""
    return Pairs(torch.ops.aten.index.Tensor(x.parts, indices))


def index_select(dtype: torch.dtype, x: Pairs, dim: int, places: Tensor) -> Pairs:
    """Return what stands at some indices of a dimension."""
    if not x.rank:
        raise NotImplementedError("an index into a complex number")
    return Pairs(x.parts.index_select(_place(dim, x.rank), places))


def index_put(
    dtype: torch.dtype,
    x: Pairs,
    indices: Sequence[Tensor | None],
    values: Pairs | Tensor,
    accumulate: bool = False,
) -> Pairs:
    """Return the numbers with others at the indices of tensors."""
    put = _as_pairs(values, dtype).parts
    return Pairs(torch.ops.aten.index_put.default(x.parts, indices, put, accumulate))


def cut_in(
    dtype: torch.dtype,
    x: Pairs,
    source: Pairs | Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Pairs:
    """Return the numbers with others in the place of a slice."""
    put, place = _as_pairs(source, dtype).parts, _place(dim, x.rank)
    return Pairs(torch.ops.aten.slice_scatter.default(x.parts, put, place, start, end, step))


def select_in(dtype: torch.dtype, x: Pairs, source: Pairs | Tensor, dim: int, place: int) -> Pairs:
    """Return the numbers with others at one index."""
    put, dim = _as_pairs(source, dtype).parts, _place(dim, x.rank)
    return Pairs(torch.ops.aten.select_scatter.default(x.parts, put, dim, place))


def copy(dtype: torch.dtype, x: Pairs, source: Operand, non_blocking: bool = False) -> Pairs:
    """Return the numbers of another tensor, spread over the shape of ``x``."""
    assert isinstance(source, Pairs | Tensor)
    return Pairs(_as_pairs(source, dtype).parts.expand(x.parts.shape).clone())


def where(dtype: torch.dtype, mask: Tensor, left: Operand, right: Operand) -> Pairs:
    """Return one tensor's numbers where the mask holds, and the other's elsewhere."""
    (a, b), (c, d) = parts_of(left, mask, dtype), parts_of(right, mask, dtype)
    return made_of(torch.where(mask, a, c), torch.where(mask, b, d))


def fill_masked(dtype: torch.dtype, x: Pairs, mask: Tensor, value: Operand) -> Pairs:
    """Return the numbers with one number where the mask holds."""
    return where(dtype, mask, value, x)


def size(dtype: torch.dtype, x: Pairs, dim: int) -> Number:
    """Return the size of a dimension."""
    return x.parts.shape[_place(dim, x.rank)]


def storage_offset(dtype: torch.dtype, x: Pairs) -> Number:
    """Return where a tensor begins in its memory, in complex numbers: traces test that it does."""
    return x.parts.storage_offset() // 2
