"""Whether an operation on tensors may raise, depending on what its operands hold."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy
import torch

Integers: TypeAlias = numpy.ndarray[Any, Any]
Content: TypeAlias = Callable[[object], Integers | None]
"""Gives the integers that a tensor holds, where they are known at compile time."""

_ALWAYS = frozenset(
    {"embedding_bag", "_embedding_bag", "_embedding_bag_forward_only", "one_hot",
     "masked_scatter", "nll_loss_forward", "nll_loss2d_forward", "cholesky", "inverse",
     "_linalg_check_errors", "cholesky_inverse", "_linalg_eigh",
     "linalg_eig", "_linalg_eigvals", "_linalg_svd", "linalg_lstsq", "linalg_pinv",
     "linalg_lu_solve", "lu_unpack", "segment_reduce", "histogram", "_histogramdd_bin_edges",
     "_ctc_loss", "max_unpool2d", "max_unpool3d", "bincount", "repeat_interleave", "histc",
     "binary_cross_entropy", "multi_margin_loss", "multilabel_margin_loss_forward",
     "fractional_max_pool2d", "fractional_max_pool3d", "_assert_async",
     "_linear_cross_entropy_batch_chunked", "_linear_cross_entropy_batch_chunked_no_reduction"}
)  # fmt: skip
"""Operations that raise for some contents of their operands, by their names in ATen."""
_TELLING = frozenset(
    {"linalg_inv_ex", "_linalg_solve_ex", "linalg_cholesky_ex", "linalg_lu_factor_ex"}
)
"""Those that tell where they fail, and raise only where that is wanted."""
CHECKED_IN_EAGER = frozenset({"one_hot"})
"""Functions that look at what tensors hold only where they hold something: no trial shows it."""
_DRAWN_FROM = frozenset(
    {"bernoulli.default", "bernoulli.Tensor", "bernoulli_.Tensor", "multinomial.default",
     "normal.float_Tensor", "normal.Tensor_Tensor", "poisson.default", "binomial.default"}
)  # fmt: skip
"""Operations that draw random numbers, and raise for what is no probability or deviation."""
_BY_POSITION = frozenset({"index", "_unsafe_index", "index_put", "_index_put_impl"})
_ALONG_DIMENSION = frozenset(
    {"gather", "index_select", "index_add", "index_copy", "index_fill", "scatter", "scatter_add",
     "scatter_reduce", "index_reduce"}
)  # fmt: skip
_IN_ALL = frozenset({"take", "put"})
_OF_INDEX = frozenset({"embedding", "index", "index_put", "index_put_"})
"""Those of these operations that raise nothing but an IndexError."""
_OF_RUNTIME = frozenset({"gather", "scatter", "scatter_add", "scatter_reduce"})
"""Those that raise nothing but a RuntimeError."""
_DIVISIONS = frozenset({"floor_divide", "remainder", "fmod", "div", "divide"})
_INTO_PLACES = frozenset({"select_scatter", "slice_scatter"})
"""Those that write into places that numbers give."""
_BOOLEAN = (torch.bool, torch.uint8)


@dataclass(frozen=True, slots=True)
class Lookup:
    """Places that an operation looks up in a dimension of a tensor; it raises for others."""

    index: torch.Tensor
    tensor: torch.Tensor
    dimension: int
    error: type[Exception]
    from_the_end: bool = False
    """Whether negative places count from the end."""
    of_none: type[Exception] | None = None
    """What is raised where the dimension has no elements, if that is another error."""

    @property
    def only_error(self) -> type[Exception] | None:
        """Return the error that is raised, None where that depends on the size."""
        size = self.tensor.shape[self.dimension]
        if self.of_none is None or (isinstance(size, int) and size > 0):
            return self.error
        return self.of_none if isinstance(size, int) else None

    @property
    def text(self) -> str:
        """Return what the error says: of which place, PyTorch would say where this does not."""
        in_order = self.error is IndexError and not self.from_the_end
        return "index out of range in self" if in_order else "an index is out of range"


def lookup_of(func: Any, args: Sequence[Any]) -> Lookup | None:
    """Return what is looked up, where it raises for nothing but places, and for any wrong one."""
    name = func.overloadpacket.__name__.rstrip("_")
    if name == "embedding":
        return _looked_up(args[1], args[0], 0, IndexError)
    if name == "index":
        return _indexed_by_one(args[0], args[1])
    if name == "index_put":
        fits = all(isinstance(size, int) for size in (*args[2].shape, *args[0].shape[1:]))
        lookup = _indexed_by_one(args[0], args[1])
        fits &= lookup is not None and all(isinstance(size, int) for size in lookup.index.shape)
        return lookup if fits else None  # else another error may come first
    if name not in _OF_RUNTIME | {"index_select"} or not args[0].dim():
        return None
    dimension = args[1] % args[0].dim()
    if name == "index_select" and dimension != 1:
        # the kernel for the second dimension raises another error, and so does what has no rows
        of_none = RuntimeError if args[0].dim() > 1 else None
        return _looked_up(args[2], args[0], dimension, IndexError, of_none=of_none)
    return _looked_up(args[2], args[0], dimension, RuntimeError)


def _indexed_by_one(tensor: torch.Tensor, indices: Sequence[torch.Tensor | None]) -> Lookup | None:
    """Return what is looked up by ``tensor[..., index]``, None for masks and several indices."""
    places = [place for place, index in enumerate(indices) if index is not None]
    index = indices[places[0]] if len(places) == 1 else None
    if index is None or index.dtype in _BOOLEAN:
        return None
    return _looked_up(index, tensor, places[0], IndexError, from_the_end=True)


def raises_index_error(func: Any, lookup: Lookup | None) -> bool:
    """Return whether an operation that may raise, and looks this up, raises an IndexError only."""
    if func.overloadpacket.__name__ in _OF_INDEX:
        return True
    return lookup is not None and lookup.only_error is IndexError


def _looked_up(
    index: torch.Tensor,
    tensor: torch.Tensor,
    dimension: int,
    error: type[Exception],
    *,
    from_the_end: bool = False,
    of_none: type[Exception] | None = None,
) -> Lookup | None:
    """Return what is looked up, where there are surely elements to look up for each place."""
    others = [size for place, size in enumerate(tensor.shape) if place != dimension]
    if not all(isinstance(size, int) and size > 0 for size in others):
        return None
    return Lookup(index, tensor, dimension, error, from_the_end, of_none)


def looks_into_operands(func: Any) -> bool:
    """Return whether an operation raises for some contents at any sizes."""
    return func.overloadpacket.__name__.rstrip("_") in _ALWAYS


def may_raise(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any], content: Content) -> bool:
    """Return whether an operation may raise for operands of these types and sizes."""
    name = func.overloadpacket.__name__.rstrip("_")
    drawn = f"{func.overloadpacket.__name__}.{func._overloadname}" in _DRAWN_FROM
    if drawn or looks_into_operands(func):
        return True
    if name in _TELLING:
        return bool(kwargs.get("check_errors"))
    if name == "searchsorted":
        return kwargs.get("sorter") is not None
    if name in _DIVISIONS:
        return _may_divide_by_zero(name, args, kwargs, content)
    if name == "embedding":
        return not _within(content(args[1]), 0, args[0].shape[0])
    if name in _BY_POSITION:
        return _may_miss(args[0], args[1], content) or _may_not_fit(name, args)
    if name in _ALONG_DIMENSION:
        size = args[0].shape[args[1]] if args[0].dim() else 1
        lowest = -size if name in ("index_add", "index_fill") else 0
        return not _within(content(args[2]), lowest, size)
    if name in _INTO_PLACES:
        return any(isinstance(number, torch.SymInt) for number in (*args, *kwargs.values()))
    if name in _IN_ALL:
        return not _within(content(args[1]), -args[0].numel(), args[0].numel())
    return False


def _within(index: Integers | None, lowest: Any, size: Any) -> bool:
    """Return whether all elements of an index are known to be in a range."""
    if index is None or not isinstance(size, int):
        return False
    return not index.size or bool(index.min() >= lowest and index.max() < size)


def _may_miss(tensor: Any, indices: Sequence[Any], content: Content) -> bool:
    """Return whether an index may be outside of its dimension; masks never are."""
    return any(
        index.dtype not in _BOOLEAN and not _within(content(index), -size, size)
        for index, size in _indexed(tensor, indices)
    )


def _indexed(tensor: Any, indices: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    place = 0
    for index in indices:
        if index is not None:
            yield index, tensor.shape[place]
        is_mask = index is not None and index.dtype in _BOOLEAN
        place += index.dim() if is_mask else 1


def _may_not_fit(name: str, args: Sequence[Any]) -> bool:
    """Return whether a mask may select another number of elements than are written."""
    if "put" not in name or not any(i is not None and i.dtype in _BOOLEAN for i in args[1]):
        return False
    return not all(isinstance(size, int) and size == 1 for size in args[2].shape)


def _may_divide_by_zero(
    name: str, args: Sequence[Any], kwargs: Mapping[str, Any], content: Content
) -> bool:
    """Return whether integers are divided, and the divisor may be zero."""
    if name in ("div", "divide") and kwargs.get("rounding_mode") is None:
        return False
    operands = [x for x in args[:2] if isinstance(x, torch.Tensor)]
    if any(x.dtype.is_floating_point or x.dtype.is_complex for x in operands):
        return False
    divisor = args[1]
    if not isinstance(divisor, torch.Tensor):
        return not (isinstance(divisor, int | float) and divisor != 0)
    known = content(divisor)
    return known is None or bool((known == 0).any())
