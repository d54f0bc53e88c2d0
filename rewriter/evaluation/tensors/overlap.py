"""Writes into memory that overlaps: PyTorch raises there, fake tensors do not."""

from collections.abc import Callable, Sequence

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_leaves, tree_map

from rewriter.storages import storage_key


def overlap_error(
    compute: Callable[..., object],
    arguments: list[object],
    keywords: dict[str, object],
    written: Sequence[torch.Tensor],
) -> Exception | None:
    """Return what PyTorch raises where an operation writes into memory that overlaps.

    Whether it does depends on shapes, strides and storages only, so it is found by running
    the operation on zeros laid out as the operands are.
    """
    operands = [x for x in tree_leaves((arguments, keywords)) if isinstance(x, FakeTensor)]
    if not any(_overlaps(tensor, operands) for tensor in written):
        return None
    storages: dict[int, torch.UntypedStorage] = {}

    def concrete(content: object) -> object:
        if not isinstance(content, FakeTensor):
            return content.detach().clone() if isinstance(content, torch.Tensor) else content
        size = content.untyped_storage().nbytes()
        key = storage_key(content)
        if key not in storages:
            storages[key] = torch.zeros(int(size), dtype=torch.uint8).untyped_storage()
        made = torch.empty(0, dtype=content.dtype)
        return made.set_(
            storages[key], int(content.storage_offset()), tuple(content.shape), content.stride()
        )

    try:
        with torch.no_grad():
            compute(*tree_map(concrete, arguments), **tree_map(concrete, keywords))
    except RuntimeError as error:
        return error if "memory location" in str(error) else None
    return None


def _overlaps(written: torch.Tensor, operands: Sequence[torch.Tensor]) -> bool:
    layout = zip(written.shape, written.stride(), strict=True)
    if any(step == 0 and size > 1 for size, step in layout):
        return True
    key = storage_key(written)
    return sum(storage_key(x) == key for x in operands) > 1
