"""Ends of a loop's body compared with the head: generalise it further, or give up."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import combinations
from operator import ne

import libcst as cst

from rewriter.array_samples import is_array
from rewriter.evaluation.control.growing_tuples import growing_tuple, let_grow
from rewriter.evaluation.control.loop_heads import (
    DIFFERENT,
    Again,
    LoopHead,
    Unstable,
    ask_otherwise,
)
from rewriter.evaluation.control.read_after_loops import read_after
from rewriter.evaluation.control.walks_at_heads import list_walked
from rewriter.evaluation.host.array_memory import make_on_host
from rewriter.evaluation.host.host_typing import record_of
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.optional_fields import differ_by_none, differing_fields
from rewriter.evaluation.run_time.run_time_structures import settle_as, type_for_both
from rewriter.flattening import Flattening, Roots, first_difference
from rewriter.known_places import field_of_record
from rewriter.leaf_joins import array_shape, joined_arrays
from rewriter.leaves import is_tensor_leaf, leaf_key, tensor_of_leaf
from rewriter.shared_elements import note_exchanged
from rewriter.state import State
from rewriter.storages import Storages, same_view
from rewriter.values import DictCell, HostValue, ObjectCell, Reference, RunTimeCell, Value

_MOST_SETTLED = 40
"""Objects whose structure is given to those of one back edge."""


def back_roots(state: State, roots: Roots, head: LoopHead) -> Roots:
    """Return the roots at a back edge, without variables that the head does not know."""
    hidden: dict[int, set[str]] = {}
    for identity, name in head.dropped:
        hidden.setdefault(identity, set()).add(name)
    frames = tuple((i, live - frozenset(hidden.get(i, ()))) for i, live in roots.frames)
    return replace(roots, frames=frames)


def check_back_edge(
    frame: Frame,
    node: cst.CSTNode,
    end: State,
    roots: Roots,
    entry: Flattening,
    at_head: Flattening,
    head: LoopHead,
    born: int,
) -> None:
    """Compare a back edge with the head; generalise the head (Again) or give up (Unstable)."""
    _drop_new_names(frame, node, end, roots, at_head.state, head)
    fresh = tuple(
        name
        for name in end.versions
        if frame.run.builder.age(name) < born and name not in head.versions
    )
    if fresh:
        head.versions = (*head.versions, *fresh)
        head.renumber()
        raise Again
    if set(end.attributes) - set(roots.attributes):
        raise Unstable("an attribute is written in the loop for the first time")
    flattening = _aligned(frame, node, end, roots, at_head, head)
    pairs = [(one, flattening.objects_at[place]) for place, one in at_head.objects_at.items()]
    containers, lasting = frame.run.containers, frame.run.lasting_cells
    if any([containers.stands_for(lasting, one, other) for one, other in pairs]):
        raise Again
    grown = {
        slot
        for slot, (one, two) in enumerate(zip(at_head.leaves, flattening.leaves, strict=True))
        if leaf_key(one) != leaf_key(two) and slot not in head.slots
    }
    wider = _wider_arrays(at_head, flattening)
    if wider:
        head.arrays.update(wider)
        head.slots |= grown | set(wider)
        raise Again
    resized = head.sizes.changed(frame.run, entry.leaves, at_head.leaves, flattening.leaves)
    head.rebound |= {slot for slot in resized if is_tensor_leaf(at_head.leaves[slot])}
    if grown or resized:
        head.rebound |= _other_tensors(grown, at_head, flattening)
        head.slots |= grown | resized
        raise Again
    changed = _check_objects(at_head, flattening, head)
    leaves = (entry.leaves, at_head.leaves, flattening.leaves)
    changed = note_exchanged(frame.run.storages, end, *leaves) or changed
    changed = head.relations.refuted(frame.run, head.sizes, flattening.leaves, end) or changed
    if ask_otherwise(frame.run, head, at_head, flattening) or changed:
        raise Again


def _other_tensors(slots: set[int], at_head: Flattening, back: Flattening) -> set[int]:
    """Return those of some slots that hold another tensor object after an iteration."""
    return {
        slot
        for slot in slots
        if is_tensor_leaf(at_head.leaves[slot])
        and not same_view(tensor_of_leaf(at_head.leaves[slot]), tensor_of_leaf(back.leaves[slot]))
    }


def _wider_arrays(at_head: Flattening, back: Flattening) -> dict[int, HostValue]:
    """Return what stands for arrays that are others after an iteration than the head knows of."""
    wider: dict[int, HostValue] = {}
    for slot, (one, two) in enumerate(zip(at_head.leaves, back.leaves, strict=True)):
        if isinstance(one, HostValue) and isinstance(two, HostValue) and is_array(one.sample):
            both = joined_arrays([one, two])
            if any(map(ne, _array_facts(one), _array_facts(both))):
                wider[slot] = both
    return wider


def _array_facts(value: HostValue) -> tuple[object, ...]:
    return value.memory, array_shape(value), value.forward, value.alike, value.laid


def _check_objects(at_head: Flattening, back: Flattening, head: LoopHead) -> bool:
    """Generalise slots that hold other tensor objects, or common values that part, in the end.

    Returns whether there are any.
    """
    rebound = _other_tensors(head.slots - head.rebound, at_head, back)
    groups: dict[Hashable, set[int]] = {}
    for slot in head.slots:
        groups.setdefault(leaf_key(at_head.leaves[slot]), set()).add(slot)
    apart = {
        slot
        for group in groups.values()
        if len({leaf_key(back.leaves[slot]) for slot in group}) > 1
        for slot in group
    }
    if not (rebound or apart - head.apart):
        return False
    head.rebound |= rebound
    head.apart |= apart
    return True


def check_memory(
    storages: Storages, entry: list[Value], at_head: list[Value], back: list[Value]
) -> None:
    """See whether tensors share memory after an iteration that did not when it began.

    The body wrote in place: it must know all that may share memory in a later iteration.
    """
    tensors = [i for i, leaf in enumerate(at_head) if is_tensor_leaf(leaf)]
    first, start, end = (
        {i: tensor_of_leaf(leaves[i]) for i in tensors} for leaves in (entry, at_head, back)
    )
    meeting = [
        (first[i], first[j])
        for i, j in combinations(tensors, 2)
        if storages.may_coincide(end[i], end[j]) and not storages.may_coincide(start[i], start[j])
    ]
    meeting += [
        (first[i], end[i])
        for i in tensors
        if storages.may_last(end[i]) and not storages.may_last(start[i])
    ]
    for one, other in meeting:
        storages.relate(one, other)
    if meeting:
        raise Again


def _drop_new_names(
    frame: Frame, node: cst.CSTNode, end: State, roots: Roots, at_head: State, head: LoopHead
) -> None:
    dropped: set[tuple[int, str]] = set()
    for identity, live in roots.frames:
        bound = at_head.frames.get(identity, {})
        for name in live & end.frames.get(identity, {}).keys():
            if name not in bound:
                dropped.add((identity, name))
    owners = {owner.identity: owner for owner in (*frame.run.frames, frame)}
    needed = {
        (identity, name)
        for identity, name in dropped
        if identity in owners and name in read_after(owners[identity], frame, node)
    }
    if needed or dropped & frame.run.unbound_reads[-1]:
        raise Unstable("a variable is bound in the loop for the first time")
    head.dropped |= dropped


def _aligned(
    frame: Frame, node: cst.CSTNode, end: State, roots: Roots, at_head: Flattening, head: LoopHead
) -> Flattening:
    """Give a back edge's objects the structure they have at the head, or generalise the head."""
    for _ in range(_MOST_SETTLED):
        back = Flattening(end, back_roots(end, roots, head)).run()
        if back.shape == at_head.shape:
            return back
        position = first_difference(at_head, back)
        one, other = at_head.objects_at.get(position), back.objects_at.get(position)
        if (one is None or other is None) and _let_tuple_grow(
            frame, node, end, roots, at_head.state, head
        ):
            continue
        if one is None or other is None:
            _make_array_on_host(frame, at_head.shape[position : position + 1])
            one, other = _records_around(at_head, back, position)
        cell = at_head.state.heap[one]
        if isinstance(cell, RunTimeCell):
            if not settle_as(frame, node, end, Reference(other), cell.type):
                raise Unstable(DIFFERENT)
            continue
        walked = list_walked(at_head.state, one, end, other)
        if walked is not None and head.walks is not None and one not in head.walks:
            head.walks.append(one)
            head.objects.setdefault(walked[0].identity, walked[1])
            head.renumber()
            raise Again
        kind = type_for_both(at_head.state, Reference(one), end, Reference(other))
        if kind is None or one in head.objects:
            raise Unstable(DIFFERENT)
        head.objects[one] = kind
        head.renumber()
        raise Again
    raise Unstable("its state does not settle")


def _let_tuple_grow(
    frame: Frame, node: cst.CSTNode, end: State, roots: Roots, at_head: State, head: LoopHead
) -> bool:
    """Give a tuple of a back edge any length as the head has it, or generalise the head."""
    grown = growing_tuple(frame, node, roots, at_head, end)
    if grown is None:
        return False
    variable, kind = grown
    if variable not in head.tuples:
        head.tuples[variable] = kind
        head.renumber()
        raise Again
    return let_grow(frame, node, end, variable, head.tuples[variable])


def _records_around(at_head: Flattening, back: Flattening, position: int) -> tuple[int, int]:
    """Return the records around a difference of which one has None for a field.

    Else those before it whose class refers to itself: what they lead to is another each time.
    Raises Unstable where there are none, or where it is not known yet that this may be.
    """
    known = at_head.state.places
    starts = [start for start in at_head.objects_at.keys() & back.objects_at if start < position]
    pairs = [(at_head.objects_at[i], back.objects_at[i]) for i in sorted(starts, reverse=True)]
    one_here, other_here = _object_at(at_head, position), _object_at(back, position)
    if one_here is not None and other_here is not None:
        pairs.insert(0, (one_here, other_here))
    linked: list[tuple[int, int]] = []
    for one, other in pairs:
        for place, of_own_class in differing_fields(at_head.state, one, back.state, other):
            known.note(place, of_own_class=of_own_class)
            if known.is_optional(place):
                return one, other
        if known.items_may_be_none(one) and differ_by_none(at_head.state, one, back.state, other):
            return one, other
        cell = at_head.state.heap[one]
        fields = record_of(cell)
        if fields is not None and isinstance(cell, ObjectCell | DictCell):
            places = {field_of_record(cell.kind, fields, name) for name in fields}
            linked += [(one, other)] if places & known.of_own_class else []
    if linked:
        return linked[0]
    raise Unstable(_difference(at_head, back))


def _object_at(flattening: Flattening, position: int) -> int | None:
    """Return the object that a position tells of, also where it was met before."""
    token = flattening.shape[position] if position < len(flattening.shape) else None
    if isinstance(token, tuple) and token[0] == "cell":
        return flattening.cells[token[1]]
    return flattening.objects_at.get(position)


def _make_array_on_host(frame: Frame, different: Sequence[Hashable]) -> None:
    """Start anew where the loop binds the name of a known array, made in the call, to another."""
    token = different[0] if different else None
    if isinstance(token, tuple) and token[0] == "known":
        array, _ = frame.run.arrays.made.get(token[1], (None, None))
        if array is not None:
            make_on_host(frame, array)


def _difference(at_head: Flattening, back: Flattening) -> str:
    for one, two in zip(at_head.shape, back.shape, strict=False):
        if one == two:
            continue
        if isinstance(one, tuple) and isinstance(two, tuple) and one[0] == two[0] == "tensor":
            return "the rank, element type or layout of a tensor changes in it"
        return "the structure of its variables changes in it"
    return "the structure of its variables changes in it"
