"""Joins: states of different paths become one where that loses nothing.

States of one shape (see ``flattening``) merge leaf by leaf: equal leaves stay, different
ones become a new residual variable that each path assigns before it jumps to the join.
States of different shapes stay apart: the rest of the program is evaluated for each
(trace partitioning; Mauborgne and Rival, ESOP 2005).
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

from rewriter.flattening import Flattening, Roots, first_difference
from rewriter.homes import Home
from rewriter.joined_relations import relations_at_join
from rewriter.leaf_joins import LeafJoiner
from rewriter.leaves import leaf_key, residual_name
from rewriter.memory_at_joins import note_chosen, parted
from rewriter.on_the_way import changed_on_the_way, keep_frames_on_the_way
from rewriter.origin import Origin
from rewriter.path_groups import Arrival, Groups, grouped, with_texts_of_run_time
from rewriter.program import Copy, Jump
from rewriter.rebuilding import substitute
from rewriter.shared_elements import note_joined
from rewriter.state import State
from rewriter.values import (
    FunctionValue,
    HostValue,
    IteratorValue,
    Known,
    Reference,
    ScalarValue,
    TensorValue,
    Value,
)

MANY_STRUCTURES = 16
"""Shapes at one join from which on containers may become run-time containers to have fewer."""
FEW_STRUCTURES = 4
"""As many for a program that comes to much."""
_MOST_SETTLED = 200
_MANY = 8
"""Shapes at one join from which on strings may become run-time strings to have fewer."""


@dataclass(slots=True)
class Joiner:
    """Merges the states that reach one point of the program."""

    leaves: LeafJoiner
    initial_attribute: Callable[[tuple[int, str]], Value | None]
    """The value that an attribute had before the call, None where there was none."""
    settle_objects: Callable[[list[Flattening], int, bool], bool]
    """Makes the objects at a position of several shapes run-time objects of one type, where one
    is one already or the flag is set; returns whether it did."""
    settle_around: Callable[[list[Flattening], int], bool]
    """Does so with records of which one has None for a field, for what differs at a position."""
    note_joined: Callable[[list[Flattening]], None]
    """Is told of states of one shape that become one."""
    exact: bool = False  # whether few paths stay apart on which a known number is another one
    by_memory: bool = False  # and those on which a tensor is another one's memory
    structures: int = MANY_STRUCTURES  # from more on containers may become run-time ones
    known_texts: bool = False  # whether few known texts stay apart from those of run time

    def merge(
        self,
        arrivals: Sequence[Arrival],
        frames: tuple[tuple[int, frozenset[str]], ...],
        origin: Origin,
        *,
        open_sizes: bool = False,
        any_size: bool = False,
    ) -> list[Arrival]:
        """Return one state per shape, in order of first arrival.

        ``frames`` says which variables of which frames may be read later; the others
        are forgotten. ``open_sizes`` lets sizes differ that are symbols on each path,
        ``any_size`` all sizes.
        """
        if len(arrivals) <= 1:
            return list(arrivals)
        roots = replace(self._roots(arrivals, frames), open_sizes=open_sizes, any_size=any_size)
        groups = self._settled(arrivals, replace(roots, exact=True)) if self.exact else {}
        if not 0 < len(groups) <= _MANY:
            groups = self._settled(arrivals, roots)
        if not self.known_texts:
            groups = with_texts_of_run_time(arrivals, roots, groups)
        if len(groups) > _MANY:
            roots = replace(roots, loose=True)
            groups = self._settled(arrivals, roots)
        if len(groups) > _MANY:
            groups = self._settled(arrivals, replace(roots, any_size=True))
        parts, storages = list(groups.values()), self.leaves.storages
        if len(parts) > FEW_STRUCTURES and _differ_in_containers(parts):
            self.leaves.builder.joins.apart.append(origin)
        if self.by_memory:
            parts = parted(parts, storages, _MANY)
        elif self._record_gradients(arrivals):
            parts = [[each] for group in parts for each in group]
        return [self._join(group, origin) for group in parts]

    def _record_gradients(self, arrivals: Sequence[Arrival]) -> bool:
        """Return whether paths stay apart, while they are few, since gradients go through them."""
        records = any(self.leaves.builder.grad_modes[-1:])
        return records and len(arrivals) <= _MANY and any(state.leaves for state, _ in arrivals)

    def _settled(self, arrivals: Sequence[Arrival], roots: Roots) -> Groups:
        """Return the arrivals by shape, after making some of their objects run-time objects.

        That is done to an object that is one already on another path, and where objects of
        known structure would lead to too many paths.
        """
        groups = grouped(arrivals, roots)
        for _ in range(_MOST_SETTLED):
            if len(groups) == 1 or not self._settle(list(groups.values())):
                break
            groups = grouped(arrivals, roots)
        return groups

    def _settle(self, groups: list[list[Flattening]]) -> bool:
        """Give one object of several groups one structure; return whether that was possible."""
        too_many = len(groups) > self.structures
        firsts = len(groups) - 1 if too_many else 1  # the first may have None, and others lists
        for first, other in _pairs(groups, firsts):
            position = first_difference(first[0], other[0])
            one, two = first[0].objects_at.get(position), other[0].objects_at.get(position)
            if one is None or two is None:
                if too_many and self.settle_around([*first, *other], position):
                    return True
                continue
            if self.settle_objects([*first, *other], position, too_many):
                return True
        return False

    def _roots(
        self, arrivals: Sequence[Arrival], frames: tuple[tuple[int, frozenset[str]], ...]
    ) -> Roots:
        keys = self._align_attributes([state for state, _ in arrivals])
        versions = tuple(dict.fromkeys(name for state, _ in arrivals for name in state.versions))
        states = [state for state, _ in arrivals]
        start = _common_start([state.on_the_way for state in states])
        iterators = tuple(
            value
            for value in start
            if isinstance(value, IteratorValue)
            and all(value.identity in state.heap for state in states)
        )
        held: tuple[IteratorValue | Reference | FunctionValue, ...] = (
            *iterators,
            *changed_on_the_way(states, start, frames),
        )
        return Roots(frames=frames, attributes=keys, versions=versions, held=held)

    def _align_attributes(self, states: list[State]) -> tuple[tuple[int, str], ...]:
        keys = tuple(dict.fromkeys(key for state in states for key in state.attributes))
        for state in states:
            for key in keys:
                if key not in state.attributes:
                    initial = self.initial_attribute(key)
                    if initial is not None:
                        state.attributes[key] = initial
        return keys

    def _join(self, group: list[Flattening], origin: Origin) -> Arrival:
        first = group[0]
        if len(group) == 1:
            return first.state, first.roots.extra
        self.note_joined(group)
        note_chosen(group, self.leaves.storages, self.leaves.builder.joins.memory)
        leaves = self._join_leaves(group, origin)
        block = self.leaves.builder.new_block()
        for flattening in group:
            self.leaves.builder.close(flattening.state.block, Jump(target=block))
        joined, extra = substitute(first, leaves, block)
        others = [flattening.state.heap for flattening in group[1:]]
        for identity, cell in first.state.heap.items():
            # Unreachable by name, but perhaps on its way in a caller's expression.
            if all(heap.get(identity) is cell for heap in others):
                joined.heap.setdefault(identity, cell)
        joined.on_the_way = _common_start([flattening.state.on_the_way for flattening in group])
        keep_frames_on_the_way(joined, [f.state for f in group], first.roots.frames)
        for value in extra:
            joined.carry(value)
        joined.facts = {
            name: truth
            for name, truth in first.state.facts.items()
            if all(other.state.facts.get(name) is truth for other in group)
        }
        joined.size_facts = relations_at_join(
            self.leaves.sizes.sizes,
            [(f.state.size_facts, self.leaves.sizes.replacements(i)) for i, f in enumerate(group)],
        )
        joined.sizes = {
            symbol: number
            for symbol, number in first.state.sizes.items()
            if all(other.state.sizes.get(symbol) is number for other in group)
        }
        self._join_homes(joined, [flattening.state for flattening in group])
        joined.of_lists = {
            key: known
            for key, known in first.state.of_lists.items()
            if all(other.state.of_lists.get(key) is known for other in group)
        }
        others_read = [other.state.reads for other in group[1:]]
        joined.reads = {
            key: value
            for key, value in joined.reads.items()
            if all(leaf_key(value) == _key_read(reads.get(key)) for reads in others_read)
        }
        return joined, extra

    def _join_homes(self, joined: State, states: list[State]) -> None:
        joined.homes = _common_homes(joined, states)
        for state in states:
            for key in state.homes.keys() - joined.homes.keys():
                self.leaves.storages.lose_home(state.homes[key].whole.fake)

    def _join_leaves(self, group: list[Flattening], origin: Origin) -> list[Value]:
        leaves: list[Value] = []
        note_joined(self.leaves.storages, [(path.state, path.leaves) for path in group])
        roots = group[0].roots
        self.leaves.sizes.begin(any_size=roots.any_size or roots.open_sizes)
        joined: dict[tuple[Hashable, ...], Value] = {}
        copies: list[tuple[str, list[Value]]] = []
        columns = zip(*(flattening.leaves for flattening in group), strict=True)
        for hint, column in zip(group[0].hints, columns, strict=True):
            key = tuple(leaf_key(leaf) for leaf in column)
            if all(part == key[0] for part in key):
                joined.setdefault(key, column[0])
            elif key not in joined:
                joined[key] = self.leaves.new_leaf(column, hint)
                self.leaves.builder.joins.note(residual_name(joined[key]), column)
                copies.append((residual_name(joined[key]), list(column)))
            leaves.append(joined[key])
        if copies:
            for index, flattening in enumerate(group):
                self._emit_copy(flattening.state, copies, index, origin)
        return leaves

    def _emit_copy(
        self, state: State, copies: list[tuple[str, list[Value]]], index: int, origin: Origin
    ) -> None:
        self.leaves.builder.emit(
            state.block,
            Copy(
                targets=tuple(name for name, _ in copies),
                sources=tuple(self.leaves.leaf_expression(column[index]) for _, column in copies),
                origin=origin,
            ),
        )


def _differ_in_containers(groups: list[list[Flattening]]) -> bool:
    for first, other in _pairs(groups, 1):
        position = first_difference(first[0], other[0])
        if position in first[0].objects_at and position in other[0].objects_at:
            return True
    return False


def _pairs(
    groups: list[list[Flattening]], firsts: int
) -> Iterator[tuple[list[Flattening], list[Flattening]]]:
    """Return pairs of groups, those with the first one before all others."""
    for index, first in enumerate(groups[:firsts]):
        for other in groups[index + 1 :]:
            yield first, other


def _common_start(tuples: Sequence[tuple[Value, ...]]) -> tuple[Value, ...]:
    """Return the values with which all tuples begin."""
    common = 0
    for column in zip(*tuples, strict=False):
        if any(value is not column[0] for value in column):
            break
        common += 1
    return tuples[0][:common]


def _common_homes(joined: State, states: Sequence[State]) -> dict[int, Home]:
    """Return the homes that joined tensors have, and those that are alike on all paths."""

    def is_common(key: int, home: Home) -> bool:
        if key not in states[0].homes:
            return True  # of a tensor that may be another one on each path
        if not all(key in state.homes for state in states):
            return False
        arrays = {state.homes[key].array.name for state in states}
        wholes = {state.current(state.homes[key].whole).name for state in states}
        of_array = home.array.name not in arrays or len(arrays) == 1
        of_whole = home.whole.name not in wholes or len(wholes) == 1
        return of_array and (of_whole or home.whole.name in joined.versions)

    return {key: home for key, home in joined.homes.items() if is_common(key, home)}


def _key_read(value: Value | None) -> Hashable:
    is_leaf = isinstance(value, Known | TensorValue | ScalarValue | HostValue)
    return leaf_key(value) if is_leaf and value is not None else None
