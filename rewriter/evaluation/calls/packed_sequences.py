"""Packed sequences: ``torch.nn.utils.rnn`` and recurrent layers, inlined from Python."""

import libcst as cst
from torch import nn
from torch.nn.utils import rnn

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.library_calls import call_library
from rewriter.evaluation.calls.preluding import inlined
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.instances.user_classes import class_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_kinds import is_run_time
from rewriter.prelude import packing, padding
from rewriter.size_expressions import is_fixed
from rewriter.state import State
from rewriter.values import (
    Known,
    ListCell,
    ObjectCell,
    Reference,
    TensorValue,
    TupleValue,
    Value,
)

for _name in ("pack_padded_sequence", "pack_sequence", "pad_packed_sequence", "unpack_sequence"):
    special(getattr(rnn, _name))(inlined(getattr(packing, _name)))


@special(rnn.pad_sequence)
def pad_sequence(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``pad_sequence(tensors)``: inlined where how long or how many they are is unknown."""
    given = positional[0] if positional else keywords.get("sequences")
    if given is not None and is_run_time(state, given):
        return call_value(frame, node, state, Known(padding.pad_listed), positional, keywords)
    items = given.items if isinstance(given, TupleValue) else ()
    cell = state.heap[given.identity] if isinstance(given, Reference) else None
    items = cell.items if isinstance(cell, ListCell) else items
    if any(isinstance(item, TensorValue) and not is_fixed(item.fake) for item in items):
        return call_value(frame, node, state, Known(padding.pad_sequence), positional, keywords)
    return call_library(frame, node, state, Known(rnn.pad_sequence), positional, keywords)


_PARTS = ("batch_sizes", "sorted_indices", "unsorted_indices")


@special(packing.part)
def part(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Note of which packed sequence a tensor is which part."""
    del node, keywords
    packed, name, tensor = positional
    assert isinstance(packed, Reference) and isinstance(name, Known)
    assert isinstance(tensor, TensorValue)
    frame.run.packed_parts[tensor.name] = (packed.identity, name.value)
    yield state, tensor


@special(rnn.PackedSequence)
def from_parts(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``PackedSequence(data, batch_sizes)``: packed as that one is whose batch sizes these are."""
    given = {**dict(zip(("data", *_PARTS), positional, strict=False)), **keywords}
    data = given.get("data")
    parts = {name: given[name] for name in _PARTS if not _is_none(given.get(name, Known(None)))}
    owners = [_owner(frame, state, name, value) for name, value in parts.items()]
    ordered = [*parts] in ([*_PARTS], [*_PARTS[:2]])
    alike = {_packing_of(state, owner) for owner in owners}
    known = owners[0] if owners and (ordered or [*parts] == [*_PARTS[:1]]) else None
    if known is None or len(alike) > 1 or not isinstance(data, TensorValue):
        frame.refuse(
            "DYCL045",
            node,
            "a packed sequence is made of other parts than new data, and the batch sizes and the "
            "order of one",
        )
    arguments: list[Value] = [Reference(known), data, Known(not ordered)]
    return call_value(frame, node, state, Known(packing.from_parts), arguments, {})


def _owner(frame: Frame, state: State, name: str, value: Value) -> int | None:
    """Return the packed sequence that has a tensor as this part, None where that is not known."""
    if not isinstance(value, TensorValue) or state.current(value) is not value:
        return None
    owner, found = frame.run.packed_parts.get(value.name, (None, None))
    return owner if owner in state.heap and found == name else None


def _packing_of(state: State, owner: int | None) -> str | None:
    """Return what sequences that are packed alike have in common."""
    cell = None if owner is None else state.heap[owner]
    lengths = cell.attributes["lengths"] if isinstance(cell, ObjectCell) else None
    return lengths.name if isinstance(lengths, TensorValue) else None


def _is_none(value: Value) -> bool:
    return isinstance(value, Known) and value.value is None


def takes_packed(
    state: State, layer: nn.Module, positional: list[Value], keywords: dict[str, Value]
) -> bool:
    """Return whether a recurrent layer is called on a packed sequence."""
    given = positional[0] if positional else keywords.get("input")
    return (
        isinstance(layer, nn.RNNBase)
        and given is not None
        and class_of(state, given) is packing.PackedSequence
    )


def call_on_packed(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    layer: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call a recurrent layer on a packed sequence: on each of its rows."""
    yield from call_value(
        frame, node, state, Known(packing.recurrent), [layer, *positional], keywords
    )
