"""Dicts with tensors for keys, which are found by which object they are.

Tensors are hashed by where they lie in memory: of two, one is another key than the other. In
what follows a key that is no tensor is found as in any dict.
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
        if not isinstance(key, _PLAIN):
            hash(key)
        for place in range(len(self.held)):
            if self._is_held(place, key):
                return place
        return -1

    def _is_held(self, place, key):
        other = self.held[place]
        if isinstance(key, Tensor) or isinstance(other, Tensor):
            return other is key
        if not (isinstance(key, _PLAIN) and isinstance(other, _PLAIN)) and hash(key) != hash(other):
            return False
        return key in (other,)

    def _walk(self, kind):
        size, changes = len(self.held), self.changes
        for place in range(size):
            yield place
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
        self.stored = []
        self.changes = 0

    def __setitem__(self, key, value):
        place = self._place(key)
        if place >= 0:
            self.stored[place] = value
        else:
            self.held.append(key)
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
        del self.held[place]
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
        if self._place(key) < 0:
            self[key] = default
        return self.stored[self._place(key)]

    def pop(self, key, *default):
        """Take a key out, and return its value."""
        place = self._place(key)
        if place < 0 and len(default) > 0:
            return default[0]
        if place < 0:
            raise KeyError(key)
        value = self.stored[place]
        del self[key]
        return value

    def popitem(self):
        """Take the last key out, and return it with its value."""
        if len(self.held) == 0:
            raise KeyError("popitem(): dictionary is empty")
        self.changes += 1
        return self.held.pop(), self.stored.pop()

    def clear(self):
        """Take all keys out."""
        self.held, self.stored = [], []
        self.changes += 1

    def copy(self):
        """Return another dict of the keys and values."""
        made = DictOfTensors()
        made.held, made.stored = list(self.held), list(self.stored)
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
        for place in self._walk("dictionary"):
            yield self.held[place]

    __reversed__ = of_views


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
        made = DefaultDictOfTensors(self.factory)
        made.held, made.stored = list(self.held), list(self.stored)
        return made


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
        for place in self.table._walk("dictionary"):
            yield self.table.held[place]


class _Values(_View):
    """The values of a dict."""

    def __iter__(self):
        for place in self.table._walk("dictionary"):
            yield self.table.stored[place]


class _Items(_View):
    """The keys of a dict, with their values."""

    def __contains__(self, pair):
        key, value = pair
        place = self.table._place(key)
        return place >= 0 and value in (self.table.stored[place],)

    def __iter__(self):
        for place in self.table._walk("dictionary"):
            yield self.table.held[place], self.table.stored[place]


STOOD_FOR: dict[type, type] = {
    DictOfTensors: dict,
    DefaultDictOfTensors: defaultdict,
    _Keys: type({}.keys()),
    _Values: type({}.values()),
    _Items: type({}.items()),
}
