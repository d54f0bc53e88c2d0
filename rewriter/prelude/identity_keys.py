"""Dicts with tensors for keys, or objects whose classes say their hash.

Tensors are found by which object they are, as they are hashed by where they lie in memory. Any
other key is found as in CPython: by the hash that it had when it came, and by ``==``.
"""

from collections import defaultdict

from torch import Tensor

_PLAIN = (Tensor, int, float, str, type(None))


def order_after_changes():
    """Refuse a walk that goes on in a dict whose keys are others, but as many as before."""
    raise NotImplementedError


def of_views(*operands):
    """Refuse what is asked of views of a dict, or of a dict from its end."""
    raise NotImplementedError


class Keyed:
    """What has keys: they are held in the order in which they came."""

    def _place(self, key):
        """Return where a key is held, -1 where it is not."""
        return self._place_of(key, self._mark(key))

    def _place_of(self, key, mark):
        for place in range(len(self.held)):
            if self._is_held(place, key, mark):
                return place
        return -1

    def _mark(self, key):
        """Return the hash of a key, None for tensors and what is compared without."""
        return None if isinstance(key, _PLAIN) else hash(key)

    def _is_held(self, place, key, mark):
        other, its = self.held[place], self.marks[place]
        if isinstance(key, Tensor) or isinstance(other, Tensor):
            return other is key
        if (mark is None) != (its is None):
            mark = hash(key) if mark is None else mark
            its = hash(other) if its is None else its
        if mark is not None and mark != its:
            return False
        return key in (other,)

    def _require_same(self, kind, size, changes):
        """Raise what Python raises where a walk goes on in what has other keys by now."""
        if len(self.held) != size:
            raise RuntimeError(f"{kind} changed size during iteration")
        if self.changes != changes:
            order_after_changes()

    def __len__(self):
        return len(self.held)

    def __contains__(self, key):
        return self._place(key) >= 0


class DictOfTensors(Keyed):
    """A dict."""

    def __init__(self):
        self.held = []
        self.marks = []
        self.stored = []
        self.changes = 0

    def __setitem__(self, key, value):
        mark = self._mark(key)
        self._store(key, mark, self._place_of(key, mark), value)

    def _store(self, key, mark, place, value):
        if place >= 0:
            self.stored[place] = value
        else:
            self.held.append(key)
            self.marks.append(mark)
            self.stored.append(value)
            self.changes += 1

    def __getitem__(self, key):
        place = self._place(key)
        return self.stored[place] if place >= 0 else self._missing(key)

    def _missing(self, key):
        raise KeyError(key)

    def __delitem__(self, key):
        place = self._place(key)
        if place < 0:
            raise KeyError(key)
        self._drop(place)

    def _drop(self, place):
        del self.held[place]
        del self.marks[place]
        del self.stored[place]
        self.changes += 1

    def __eq__(self, other):
        if not isinstance(other, dict):
            return NotImplemented
        if len(self) != len(other):
            return False
        for place in range(len(self.held)):
            key = self.held[place]
            if key not in other or self.stored[place] not in (other[key],):
                return False
        return True

    def get(self, key, default=None):
        """Return the value of a key, or another one."""
        place = self._place(key)
        return self.stored[place] if place >= 0 else default

    def setdefault(self, key, default=None):
        """Return the value of a key, which gets one if it has none."""
        mark = self._mark(key)
        place = self._place_of(key, mark)
        if place >= 0:
            return self.stored[place]
        self._store(key, mark, place, default)
        return default

    def pop(self, key, *default):
        """Take a key out, and return its value."""
        place = self._place(key)
        if place < 0 and len(default) > 0:
            return default[0]
        if place < 0:
            raise KeyError(key)
        value = self.stored[place]
        self._drop(place)
        return value

    def popitem(self):
        """Take the last key out, and return it with its value."""
        if len(self.held) == 0:
            raise KeyError("popitem(): dictionary is empty")
        self.changes += 1
        self.marks.pop()
        return self.held.pop(), self.stored.pop()

    def clear(self):
        """Take all keys out."""
        self.held, self.marks, self.stored = [], [], []
        self.changes += 1

    def copy(self):
        """Return another dict of the keys and values."""
        return self._copied_into(DictOfTensors())

    def _copied_into(self, made):
        made.held, made.marks, made.stored = list(self.held), list(self.marks), list(self.stored)
        return made

    def keys(self):
        """Return the keys, as they are at any time."""
        return _Keys(self)

    def values(self):
        """Return the values, as they are at any time."""
        return _Values(self)

    def items(self):
        """Return the keys with their values, as they are at any time."""
        return _Items(self)

    def __iter__(self):
        size, changes = len(self.held), self.changes
        for place in range(size):
            yield self.held[place]
            self._require_same("dictionary", size, changes)

    __reversed__ = of_views


DictOfTensors.__name__ = "dict"  # as errors call it


class DefaultDictOfTensors(DictOfTensors):
    """A ``defaultdict``."""

    def __init__(self, default_factory):
        super().__init__()
        self.factory = default_factory

    @property
    def default_factory(self):
        """Return what makes missing values."""
        return self.factory

    @default_factory.setter
    def default_factory(self, factory):
        self.factory = factory

    def _missing(self, key):
        if self.factory is None:
            raise KeyError(key)
        self[key] = value = self.factory()
        return value

    def copy(self):
        """Return another one of the keys and values."""
        return self._copied_into(DefaultDictOfTensors(self.factory))


class _View:
    """What a dict has, as it is at any time."""

    def __init__(self, table):
        self.table = table

    def __len__(self):
        return len(self.table.held)

    __and__ = __rand__ = __or__ = __ror__ = __sub__ = __rsub__ = __xor__ = __rxor__ = of_views
    __le__ = __lt__ = __ge__ = __gt__ = __reversed__ = isdisjoint = of_views


class _Keys(_View):
    """The keys of a dict."""

    def __contains__(self, key):
        return key in self.table

    def __iter__(self):
        table = self.table
        size, changes = len(table.held), table.changes
        for place in range(size):
            yield table.held[place]
            table._require_same("dictionary", size, changes)


class _Values(_View):
    """The values of a dict."""

    def __iter__(self):
        table = self.table
        size, changes = len(table.held), table.changes
        for place in range(size):
            yield table.stored[place]
            table._require_same("dictionary", size, changes)


class _Items(_View):
    """The keys of a dict, with their values."""

    def __contains__(self, pair):
        key, value = pair
        place = self.table._place(key)
        return place >= 0 and value in (self.table.stored[place],)

    def __iter__(self):
        table = self.table
        size, changes = len(table.held), table.changes
        for place in range(size):
            yield table.held[place], table.stored[place]
            table._require_same("dictionary", size, changes)


DefaultDictOfTensors.__name__ = "collections.defaultdict"
STOOD_FOR: dict[type, type] = {
    DictOfTensors: dict,
    DefaultDictOfTensors: defaultdict,
    _Keys: type({}.keys()),
    _Values: type({}.values()),
    _Items: type({}.items()),
}
