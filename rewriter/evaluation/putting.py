"""Writes at index tensors: what is written must fit what is chosen. So must masks."""

from collections.abc import Sequence
from typing import Any

import torch

from rewriter.size_expressions import key_of
from rewriter.storages import same_view

_OVERLAP = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
    "single memory location. Please clone() the tensor before performing the operation."
)
_UNLIKE = "source tensor shape must match self tensor shape, excluding the specified dimension."
_PUTTING = frozenset({"index_put", "_index_put_impl"})
_ADDING = frozenset({"index_add", "index_reduce"})


def check_put(func: Any, args: Sequence[Any]) -> None:
    """Raise where what is written at index tensors does not fit: fake tensors take anything."""
    name = func.overloadpacket.__name__.rstrip("_")
    if name == "masked_select":
        torch.ops.aten.logical_or.default(args[1], args[0])
    if name in _ADDING:
        _check_added(args[0], args[1], args[3])
    if name not in _PUTTING:
        return
    tensor, indices, values = args[:3]
    if same_view(tensor, values) and values.numel() != 1:
        raise RuntimeError(_OVERLAP)
    if any(i is not None and i.dtype in (torch.bool, torch.uint8) for i in indices):
        return
    chosen = torch.ops.aten.index.Tensor(tensor, indices)
    _check_sizes(values, chosen)
    if tensor.dtype != values.dtype:
        raise RuntimeError("Index put requires the source and destination dtypes match")


def _check_sizes(values: torch.Tensor, chosen: torch.Tensor) -> None:
    if all(isinstance(size, int) for size in (*values.shape, *chosen.shape)):
        values.expand(chosen.shape)
        return
    for size, expected in zip(reversed(values.shape), reversed(chosen.shape), strict=False):
        if key_of(size) != key_of(expected) and size != 1:
            torch._check(size == expected)  # type: ignore[no-untyped-call]


def _check_added(tensor: torch.Tensor, dim: int, source: torch.Tensor) -> None:
    """Raise where rows to be added have other sizes, which fake tensors would repeat."""
    pairs = [*zip(tensor.shape, source.shape, strict=False)]
    if tensor.dim() == source.dim() > 0:
        del pairs[dim]
    is_unlike = tensor.dim() != source.dim() or any(
        isinstance(size, int) and isinstance(expected, int) and size != expected
        for expected, size in pairs
    )
    if is_unlike:
        shapes = f"self.shape = {[*tensor.shape]} source.shape = {[*source.shape]}"
        raise RuntimeError(f"{_UNLIKE} Got {shapes}")
    for expected, size in pairs:
        if key_of(size) != key_of(expected):
            torch._check(size == expected)  # type: ignore[no-untyped-call]
