"""Dicts and sets that get tensors, or objects with a hash of their own, for keys.

They are objects of the prelude from then on, which look at one key after the other.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.containers.containers import describe, sequence_items
from rewriter.evaluation.containers.hashed_keys import keys_searched
from rewriter.evaluation.containers.held_keys import STOOD_FOR, has_own_hash
from rewriter.evaluation.control.container_changes import walks_over
from rewriter.evaluation.instances.user_classes import method_of
from rewriter.evaluation.operators.identity import identical
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import identity_keys, identity_sets
from rewriter.state import State
from rewriter.values import (
    Cell,
    DictCell,
    Known,
    ListCell,
    ObjectCell,
    Reference,
    SetCell,
    TensorValue,
    Value,
)


def _refused(marker: Callable[..., object], message: str, advice: str = "") -> None:
    """Refuse calls of a function of the prelude that stands for what is not taken."""

    @special(marker)
    def refuse(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        del state, positional, keywords
        frame.refuse("DYCL051", node, message, advice)


_refused(
    identity_sets.order_of_addresses,
    "a set of tensors, or of objects with an own hash, is walked: its order is that of hashes",
    "keep them in a list",
)
_refused(identity_sets.hash_of_tensors, "a set of tensors is hashed: by their addresses")
_refused(
    identity_keys.order_after_changes,
    "a dict whose keys are tensors gets others while it is walked",
)
_refused(identity_keys.of_views, "this is asked of a dict whose keys are tensors, or of its views")


def has_tensor_keys(state: State, container: Value) -> bool:
    """Return whether a dict or set has become one whose keys may be tensors."""
    cell = state.heap.get(container.identity) if isinstance(container, Reference) else None
    return isinstance(cell, ObjectCell) and cell.kind in STOOD_FOR


def is_own_key(state: State, key: Value) -> bool:
    """Return whether a key is a tensor of run time, or an object that says what its hash is."""
    if isinstance(key, TensorValue):
        return True
    return has_own_hash(state, key)


def are_own_keys(state: State, items: Iterable[Value]) -> bool:
    """Return whether any keys are such."""
    return any(is_own_key(state, item) for item in items)


def holds_own_keys(state: State, values: Sequence[Value]) -> bool:
    """Return whether any values are such keys, or sequences of some."""
    return are_own_keys(state, values) or any(
        are_own_keys(state, sequence_items(state, value) or ()) or has_tensor_keys(state, value)
        for value in values
    )


def takes_own_key(state: State, container: Value, key: Value) -> bool:
    """Return whether a dict or set of known structure is given such a key."""
    cell = state.heap.get(container.identity) if isinstance(container, Reference) else None
    return isinstance(cell, DictCell | SetCell) and is_own_key(state, key)


def with_tensor_keys(frame: Frame, node: cst.CSTNode, state: State, container: Reference) -> None:
    """Have a dict or set take tensors as keys, under all its names."""
    cell = state.heap[container.identity]
    run = frame.run
    lent = {given.reference.identity for given in run.containers.lent.values()}
    if container.identity in lent | run.lasting_cells | run.containers.places.keys():
        frame.refuse(
            "DYCL051",
            node,
            "an argument gets tensors for keys, or objects with a hash of their own",
        )
    if any(walks_over(state, container.identity)):
        frame.refuse("DYCL051", node, "a container that is walked gets tensors for keys")
    made = _of_prelude(frame, state, cell)
    if made is None:
        frame.refuse("DYCL051", node, f"{describe(state, container)} gets tensors for keys")
    run.update(state, container, made)


def _of_prelude(frame: Frame, state: State, cell: Cell) -> ObjectCell | None:
    def listed(items: Iterable[Value]) -> Reference:
        return frame.run.allocate(state, ListCell(tuple(items)))

    def unmarked(keys: Iterable[object]) -> Reference:
        return listed(Known(None) for _ in keys)

    match cell:
        case SetCell(kind=kind) if kind is set:
            held = listed(map(Known, cell.order))
            attributes: dict[str, Value] = {"held": held, "marks": unmarked(cell.order)}
            return ObjectCell(identity_sets.SetOfTensors, {**attributes, "changes": Known(0)})
        case DictCell(kind=kind) if kind in (dict, defaultdict) and not cell.attributes:
            attributes = {
                "held": listed(map(Known, cell.items)),
                "marks": unmarked(cell.items),
                "stored": listed(cell.items.values()),
                "changes": Known(0),
            }
            if kind is dict:
                return ObjectCell(identity_keys.DictOfTensors, attributes)
            attributes["factory"] = cell.default_factory or Known(None)
            return ObjectCell(identity_keys.DefaultDictOfTensors, attributes)
        case _:
            return None


def called_with_key(
    frame: Frame, node: cst.CSTNode, state: State, container: Reference, name: str,
    positional: Sequence[Value],
) -> Outcomes:  # fmt: skip
    """Call a method of a dict or set whose keys may be tensors, which it is from here on."""
    if not has_tensor_keys(state, container):
        with_tensor_keys(frame, node, state, container)
    bound = method_of(state, container, name)
    if bound is None:
        cell = state.cell(container, ObjectCell)
        kind = STOOD_FOR[cell.kind].__name__
        frame.refuse("DYCL051", node, f"{name}() of a {kind} whose keys are tensors")
    return call_value(frame, node, state, bound, list(positional), {})


def entered_key(
    frame: Frame, node: cst.CSTNode, state: State, table: Reference, key: Value, value: Value
) -> list[State]:
    """Execute ``table[key] = value`` of a dict whose keys may be tensors."""
    outcomes = called_with_key(frame, node, state, table, "__setitem__", [key, value])
    return [after for after, _ in outcomes]


def without_key(
    frame: Frame, node: cst.CSTNode, state: State, table: Reference, key: Value
) -> list[State]:
    """Execute ``del table[key]`` of a dict whose keys may be tensors."""
    outcomes = called_with_key(frame, node, state, table, "__delitem__", [key])
    return [after for after, _ in outcomes]


def added_key(
    frame: Frame, node: cst.CSTNode, state: State, container: Reference, item: Value
) -> list[State]:
    """Add to a set whose elements may be tensors."""
    outcomes = called_with_key(frame, node, state, container, "add", [item])
    return [after for after, _ in outcomes]


def dict_with_own_keys(
    frame: Frame, node: cst.CSTNode, state: State, kind: type, pairs: Sequence[tuple[Value, Value]]
) -> Outcomes:
    """Make a dict of pairs, some of which have such keys."""
    made = frame.run.allocate(state, DictCell({}, kind))
    state.carry(made)
    ends = [state]
    for key, value in pairs:
        ends = [done for end in ends for done in entered_key(frame, node, end, made, key, value)]
    for end in ends:
        yield end, made


def set_with_own_keys(
    frame: Frame, node: cst.CSTNode, state: State, kind: type, items: tuple[Value, ...]
) -> Outcomes:
    """Make a set, or a frozenset, of items among which are such."""
    of_prelude = identity_sets.SetOfTensors if kind is set else identity_sets.FrozenSetOfTensors
    listed = frame.run.allocate(state, ListCell(items))
    return call_value(frame, node, state, Known(of_prelude), [listed], {})


def is_tensor_key(
    frame: Frame, node: cst.CSTNode, state: State, key: Value, container: Value
) -> bool | None:
    """Return whether a tensor of run time is a key of what has known keys, None for all else."""
    keys = keys_searched(state, container) if isinstance(key, TensorValue) else None
    if keys is None:
        return None
    tensors = [Known(other) for other in keys if isinstance(other, torch.Tensor)]
    return any(identical(frame, node, state, key, other) for other in tensors)
