"""Sets of tensors, or of objects whose classes say their hash."""

from rewriter.prelude.identity_keys import Keyed


def order_of_addresses():
    """Refuse what goes by the order of a set of tensors: that of where they lie in memory."""
    raise NotImplementedError


def hash_of_tensors():
    """Refuse what goes by the hash of a set of tensors: that of where they lie in memory."""
    raise NotImplementedError


class _Combined(Keyed):
    """What is put together with sets by operators."""

    def __or__(self, other):
        return _union(self, other) if isinstance(other, _SETS) else NotImplemented

    def __ror__(self, other):
        return _union(other, self) if isinstance(other, _SETS) else NotImplemented

    def __and__(self, other):
        return _common(self, other) if isinstance(other, _SETS) else NotImplemented

    def __rand__(self, other):
        return _common(other, self) if isinstance(other, _SETS) else NotImplemented

    def __sub__(self, other):
        return _left(self, other) if isinstance(other, _SETS) else NotImplemented

    def __rsub__(self, other):
        return _left(other, self) if isinstance(other, _SETS) else NotImplemented

    def __le__(self, other):
        return _within(self, other) if isinstance(other, _SETS) else NotImplemented

    def __ge__(self, other):
        return _within(other, self) if isinstance(other, _SETS) else NotImplemented

    def __lt__(self, other):
        if not isinstance(other, _SETS):
            return NotImplemented
        return len(self) < len(other) and _within(self, other)

    def __gt__(self, other):
        if not isinstance(other, _SETS):
            return NotImplemented
        return len(self) > len(other) and _within(other, self)

    def __eq__(self, other):
        if not isinstance(other, _SETS):
            return NotImplemented
        return len(self) == len(other) and _within(self, other)


_SETS = (set, frozenset)


def _like(one, items):
    """Return a set of the class of another."""
    return SetOfTensors(items) if isinstance(one, set) else FrozenSetOfTensors(items)


def _union(one, other):
    return _like(one, [*_items(one), *_items(other)])


def _common(one, other):
    if len(other) > len(one):
        return _like(one, [item for item in _items(one) if item in other])
    return _like(one, [item for item in _items(other) if item in one])


def _left(one, other):
    return _like(one, [item for item in _items(one) if item not in other])


def _within(one, other):
    return all(item in other for item in _items(one))


class SetOfTensors(_Combined):
    """A set."""

    def __init__(self, items=()):
        self.held = []
        self.marks = []
        self.changes = 0
        self.update(items)

    def add(self, item):
        """Put an item in that is not there yet."""
        mark = self._mark(item)
        if self._place_of(item, mark) < 0:
            self.held.append(item)
            self.marks.append(mark)
            self.changes += 1

    def discard(self, item):
        """Take an item out if it is there."""
        self._drop(self._place(item))

    def _drop(self, place):
        if place >= 0:
            del self.held[place]
            del self.marks[place]
            self.changes += 1

    def remove(self, item):
        """Take an item out."""
        place = self._place(item)
        if place < 0:
            raise KeyError(item)
        self._drop(place)

    def pop(self):
        """Take the only item out."""
        if len(self.held) > 1:
            order_of_addresses()
        if len(self.held) == 0:
            raise KeyError("pop from an empty set")
        self.changes += 1
        self.marks.pop()
        return self.held.pop()

    def clear(self):
        """Take all items out."""
        self.held, self.marks = [], []
        self.changes += 1

    def copy(self):
        """Return another set of the items."""
        return SetOfTensors(self.held)

    def update(self, *others):
        """Put the items in that others have."""
        for other in others:
            for item in _items(other):
                self.add(item)

    def union(self, *others):
        """Return a set of all items."""
        made = self.copy()
        made.update(*others)
        return made

    def __ior__(self, other):
        if not isinstance(other, _SETS):
            return NotImplemented
        self.update(other)
        return self

    def __isub__(self, other):
        if not isinstance(other, _SETS):
            return NotImplemented
        self.difference_update(other)
        return self

    def __iand__(self, other):
        if not isinstance(other, _SETS):
            return NotImplemented
        self.difference_update(self - other)
        return self

    def difference_update(self, *others):
        """Take the items out that others have."""
        for other in others:
            for item in _items(other):
                self.discard(item)

    def difference(self, *others):
        """Return a set of the items that no other has."""
        made = self.copy()
        made.difference_update(*others)
        return made

    def intersection(self, *others):
        """Return a set of the items that all others have."""
        made = self.copy()
        for other in others:
            if isinstance(other, _SETS):
                made = _common(made, other)
            else:
                made = _like(made, [item for item in other if item in made])
        return made

    def issubset(self, other):
        """Return whether another has all items."""
        return _within(self, SetOfTensors(_items(other)))

    def issuperset(self, other):
        """Return whether all items of another are there."""
        return _within(other, self)

    def isdisjoint(self, other):
        """Return whether no item of another is there."""
        return len(_common(SetOfTensors(_items(other)), self)) == 0

    def __iter__(self):
        if len(self.held) > 1:
            order_of_addresses()
        size, changes = len(self.held), self.changes
        for place in range(size):
            yield self.held[place]
            self._require_same("Set", size, changes)


class FrozenSetOfTensors(_Combined):
    """A set that nobody changes."""

    def __init__(self, items=()):
        made = SetOfTensors(items)
        self.held, self.marks = made.held, made.marks
        self.changes = 0

    def __hash__(self):
        return hash_of_tensors()

    def __iter__(self):
        if len(self.held) > 1:
            order_of_addresses()
        return iter(self.held)


def _items(other):
    """Return the items of what is put together with a set, in any order."""
    return list(other.held) if isinstance(other, _SETS) and hasattr(other, "held") else other


SetOfTensors.__name__ = "set"  # as errors call it
FrozenSetOfTensors.__name__ = "frozenset"
STOOD_FOR: dict[type, type] = {SetOfTensors: set, FrozenSetOfTensors: frozenset}
