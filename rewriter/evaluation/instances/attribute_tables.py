"""``instance.__dict__`` and ``vars(instance)``: a dict that is the instance's attributes.

The table is a dict of its own on the heap. What is written to either of the two is written to
both, so that each is at any time what the other one is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rewriter.evaluation.control.container_changes import note_change
from rewriter.state import State
from rewriter.values import DictCell, ListCell, ObjectCell, Value


@dataclass(slots=True)
class AttributeTables:
    """Which dicts are the attributes of which objects, by identity in the heap."""

    tables: dict[int, set[int]] = field(default_factory=dict)
    """Of an object: one for each path on which it was asked for."""
    owners: dict[int, int] = field(default_factory=dict)
    shown: set[int] = field(default_factory=set)
    """Objects made before the call whose ``__dict__`` is read, by id: they are not written."""
    looked_through: set[int] = field(default_factory=set)
    """Objects made before the call all of whose attributes are read: they get no new ones."""

    def pair(self, owner: int, table: int) -> None:
        """Record that a dict is an object's attributes."""
        self.tables.setdefault(owner, set()).add(table)
        self.owners[table] = owner

    def table_of(self, state: State, owner: int) -> int | None:
        """Return the dict that is an object's attributes, None where nobody has asked for it."""
        return next((t for t in sorted(self.tables.get(owner, ())) if t in state.heap), None)

    def follow(self, state: State, identity: int) -> None:
        """Let what belongs to an object or dict that has changed be what it is now."""
        cell, owner = state.heap[identity], self.owners.get(identity)
        if isinstance(cell, ObjectCell | ListCell | DictCell) and identity in self.tables:
            for table in self.tables[identity] & state.heap.keys():
                self._write(state, table, cell.attributes)
        if isinstance(cell, DictCell) and owner in state.heap:
            whole = state.heap[owner]
            if isinstance(whole, ObjectCell | ListCell | DictCell):
                named = {key: item for key, item in cell.items.items() if isinstance(key, str)}
                state.heap[owner] = replace(whole, attributes=named)

    def _write(self, state: State, table: int, attributes: Mapping[str, Value]) -> None:
        before = state.heap[table]
        if isinstance(before, DictCell):
            # Under other keys than names there is what was put into the dict itself.
            others = {k: item for k, item in before.items.items() if not isinstance(k, str)}
            now = replace(before, items={**attributes, **others})
            state.heap[table] = now
            note_change(state, table, before, now)

    def placed(self, identities: Mapping[int, int]) -> None:
        """Take note of what objects and dicts made in a function are called by its caller."""
        for table, owner in tuple(self.owners.items()):
            if table in identities and owner in identities:
                self.pair(identities[owner], identities[table])

    def belonging(self, state: State, identity: int) -> frozenset[int]:
        """Return what must not be left behind where an object or dict moves to the host."""
        found = self.tables.get(identity, set()) | {self.owners.get(identity, identity)}
        return frozenset(found - {identity}) & state.heap.keys()
