"""Tensors that paths have chosen, where something else may hold the memory of one of them.

``row = y[0] if x.sum() > 0 else y[1]``: behind the join nobody knows which memory a write into
``row`` reaches. Where such a write is refused, the paths are kept apart in another evaluation.
"""

from collections.abc import Hashable, Sequence

import torch

from rewriter.flattening import Flattening
from rewriter.leaves import is_tensor_leaf, leaf_key, tensor_of_leaf
from rewriter.size_expressions import key_of, keys_of
from rewriter.storages import Storages, storage_key
from rewriter.values import Value


def note_chosen(group: Sequence[Flattening], storages: Storages, found: set[str]) -> None:
    """Take note of variables that stand for such tensors where states become one."""
    if not found:
        found.update(group[0].hints[at] for at in _chosen(group, storages))


def parted(groups: list[list[Flattening]], storages: Storages, most: int) -> list[list[Flattening]]:
    """Return groups of states parted by which memory tensors have, if these are few."""
    parts = [part for group in groups for part in _by_memory(group, storages)]
    return parts if len(parts) <= most else groups


def _by_memory(group: Sequence[Flattening], storages: Storages) -> list[list[Flattening]]:
    chosen = _chosen(group, storages)
    parts: dict[Hashable, list[Flattening]] = {}
    for flattening in group:
        key = tuple(_view(tensor_of_leaf(flattening.leaves[at])) for at in chosen)
        parts.setdefault(key, []).append(flattening)
    return list(parts.values())


def _chosen(group: Sequence[Flattening], storages: Storages) -> list[int]:
    """Return the positions of tensors that differ, one of which something else may hold."""
    columns = zip(*(flattening.leaves for flattening in group), strict=True)
    differing = [(at, column) for at, column in enumerate(columns) if _differ(column)]
    if not differing:
        return []
    holders = [_holders(flattening.leaves) for flattening in group]
    return [
        at
        for at, column in differing
        if any(_is_held(leaf, path, holders, storages) for path, leaf in enumerate(column))
    ]


def _differ(column: Sequence[Value]) -> bool:
    """Return whether a position has tensors that are not the same view on all paths."""
    first, *others = column
    if all(leaf is first for leaf in others) or not all(map(is_tensor_leaf, column)):
        return False
    return len({_view(tensor_of_leaf(leaf)) for leaf in column}) > 1


def _view(tensor: torch.Tensor) -> Hashable:
    return storage_key(tensor), key_of(tensor.storage_offset()), keys_of(tensor.stride())


def _holders(leaves: Sequence[Value]) -> dict[int, set[Hashable]]:
    """Return the tensors of a path by their memory."""
    found: dict[int, set[Hashable]] = {}
    for leaf in leaves:
        if is_tensor_leaf(leaf):
            found.setdefault(storage_key(tensor_of_leaf(leaf)), set()).add(leaf_key(leaf))
    return found


def _is_held(
    leaf: Value, path: int, holders: list[dict[int, set[Hashable]]], storages: Storages
) -> bool:
    """Return whether a tensor's memory is another one's, also on another path, or outlives it."""
    tensor = tensor_of_leaf(leaf)
    key = storage_key(tensor)
    others = (held for index, held in enumerate(holders) if index != path)
    if holders[path][key] != {leaf_key(leaf)} or any(key in held for held in others):
        return True
    return key in storages.chosen or storages.may_last(tensor)
