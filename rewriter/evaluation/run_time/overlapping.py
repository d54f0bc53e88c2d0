"""Writes into an element of a container that read another one, which may be the same tensor.

    rows[i][1:] = rows[j][:-1]     PyTorch raises where i == j: it would read what it has written

Which elements are one tensor is known at run time only (``refilling.py``), and variables hold
copies, so such an operation is tried as if both were one.
"""

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_map

from rewriter.evaluation.leaf.operation import Fakes, Operation
from rewriter.evaluation.tensors.disjoint_columns import are_disjoint
from rewriter.evaluation.tensors.overlap import overlap_error
from rewriter.homes import Home
from rewriter.size_expressions import is_dense_layout, is_fixed, keys_of
from rewriter.storages import same_view, storage_key


def refuse_overlapping(operation: Operation, fakes: Fakes, written: list[torch.Tensor]) -> None:
    """Refuse a write that would overlap with what it reads, if two elements were one tensor."""
    homes = operation.state.homes
    for tensor in written if homes else ():
        home = homes.get(storage_key(tensor))
        for operand in fakes.leaves() if home is not None else ():
            if not isinstance(operand, FakeTensor) or not (other := _other(operation, operand)):
                continue
            assert home is not None
            if other.whole.fake is not home.whole.fake and _overlaps(
                operation, fakes, tensor, home, operand, other
            ):
                operation.refuse(
                    "DYCL075",
                    "this writes into memory that it may read: two elements of containers may be "
                    "one tensor",
                    "clone() what is read",
                )


def _other(operation: Operation, operand: torch.Tensor) -> Home | None:
    return operation.state.homes.get(storage_key(operand))


def _overlaps(
    operation: Operation, fakes: Fakes, written: torch.Tensor, home: Home,
    operand: torch.Tensor, other: Home,
) -> bool:  # fmt: skip
    left, right = home.whole.fake, other.whole.fake
    if left.dtype != right.dtype or storage_key(left) == storage_key(right):
        return False
    sizes = zip(keys_of(left.shape), keys_of(right.shape), strict=False)
    if left.dim() != right.dim() or any(
        a != b and isinstance(a, int) and isinstance(b, int) for a, b in sizes
    ):
        return False
    with operation.run.mode:
        start = left.storage_offset() + operand.storage_offset() - right.storage_offset()
        moved = torch.as_strided(left, operand.shape, operand.stride(), start)
    if not (is_fixed(moved) and is_fixed(written)):
        return not (same_view(moved, written) or are_disjoint(moved, written))
    arguments, keywords = tree_map(
        lambda leaf: moved if leaf is operand else leaf, (fakes.arguments, fakes.keywords)
    )
    if overlap_error(operation.compute, arguments, keywords, [written]) is not None:
        return True
    seen_by_torch = is_dense_layout(moved) and is_dense_layout(written)
    return not (seen_by_torch or same_view(moved, written)) and _share_places(moved, written)


def _share_places(left: torch.Tensor, right: torch.Tensor) -> bool:
    return not _places(left).isdisjoint(_places(right))


def _places(tensor: torch.Tensor) -> set[int]:
    """Return the numbers of a tensor's elements in its storage."""
    places = {int(tensor.storage_offset())}
    for size, step in zip(tensor.shape, tensor.stride(), strict=True):
        places = {place + k * step for place in places for k in range(size)}
    return places
