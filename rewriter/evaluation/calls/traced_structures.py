"""How PyTorch takes apart what traced functions get and give: into tensors and numbers, in order.

What comes back is put together as the function gave it, so ``[x]`` where ``(x,)`` was carried is a
list in the end, and dicts whose keys come in another order have their values exchanged.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from rewriter.evaluation.containers.containers import mapping_items, sequence_items
from rewriter.prelude import torch_loops
from rewriter.state import State
from rewriter.values import (
    DictCell,
    Known,
    ListCell,
    Reference,
    ScalarValue,
    TupleValue,
    Value,
)


@dataclass(frozen=True, slots=True)
class Structure:
    """A container with its keys and the structures in it, or a leaf: a number, a tensor (None)."""

    kind: type | None = None
    keys: tuple[object, ...] = ()
    parts: tuple["Structure", ...] = ()

    def loose(self) -> "Structure":
        """Return the structure where lists and tuples are one."""
        kind = tuple if self.kind is list else self.kind
        return Structure(kind, self.keys, tuple(part.loose() for part in self.parts))


def structure(state: State, value: Value) -> Structure:
    """Return how PyTorch takes a value apart."""
    table = mapping_items(state, value)
    if table is not None:
        parts = tuple(structure(state, item) for item in table.values())
        return Structure(_kind(state, value), tuple(table), parts)
    items = sequence_items(state, value)
    if items is not None:
        parts = tuple(structure(state, item) for item in items)
        return Structure(_kind(state, value), tuple(range(len(items))), parts)
    return Structure(_leaf_kind(value))


def loop_of(given: Structure, carried: tuple[Structure, ...]) -> Callable[..., object] | None:
    """Return the loop for a body of ``while_loop`` that gives this: None where none is certain."""
    if given.parts == carried and given.kind in (list, tuple):
        return torch_loops.while_loop_op if given.kind is tuple else torch_loops.while_loop_list
    if carried == (given,) and not given.parts:
        return torch_loops.while_loop_bare
    return None


def _leaf_kind(value: Value) -> type | None:
    """Return the type of a number, which is one for truths and integers, None for a tensor."""
    kind: type | None = None
    if isinstance(value, ScalarValue):
        kind = value.type
    elif isinstance(value, Known) and not isinstance(value.value, torch.Tensor):
        kind = type(value.value)
    return int if kind is bool else kind


def _kind(state: State, value: Value) -> type:
    match value:
        case TupleValue():
            return value.kind
        case Known():
            return type(value.value)
        case Reference():
            cell = state.heap[value.identity]
            return cell.kind if isinstance(cell, ListCell | DictCell) else type(cell)
        case _:
            return type(value)
