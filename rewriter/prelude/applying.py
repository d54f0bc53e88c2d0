"""``functools``, and the functions that ``operator`` makes, in Python."""

import functools


class partial:
    """A function with some arguments given already."""

    func = args = keywords = ()

    def __init__(self, func, /, *args, **keywords):
        if isinstance(func, (partial, functools.partial)):
            args = (*func.args, *args)
            keywords = {**func.keywords, **keywords}
            func = func.func
        self.func = func
        self.args = args
        self.keywords = keywords

    def __call__(self, /, *args, **keywords):
        """Call the function with the rest of its arguments."""
        return self.func(*self.args, *args, **{**self.keywords, **keywords})


class _Compared:
    """An item in the order of a function that compares two."""

    def __init__(self, compare, item):
        self.compare = compare
        self.obj = item

    def __lt__(self, other):
        return self.compare(self.obj, other.obj) < 0

    def __gt__(self, other):
        return self.compare(self.obj, other.obj) > 0

    def __le__(self, other):
        return self.compare(self.obj, other.obj) <= 0

    def __ge__(self, other):
        return self.compare(self.obj, other.obj) >= 0

    def __eq__(self, other):
        return self.compare(self.obj, other.obj) == 0


class cmp_to_key:
    """A key function for a function that compares two items."""

    def __init__(self, mycmp):
        self.compare = mycmp

    def __call__(self, obj):
        """Return what the item is compared by."""
        return _Compared(self.compare, obj)


def itemgetter(item, /, *items):
    """Return the function that takes these items of an object."""
    if not items:
        return lambda container: container[item]
    return lambda container: tuple([container[place] for place in (item, *items)])


def _attribute(owner, name):
    for part in name.split("."):
        owner = getattr(owner, part)
    return owner


def attrgetter(name, /, *names):
    """Return the function that takes these attributes of an object."""
    if not names:
        return lambda owner: _attribute(owner, name)
    return lambda owner: tuple([_attribute(owner, part) for part in (name, *names)])


def methodcaller(name, /, *arguments, **keywords):
    """Return the function that calls this method of an object."""
    return lambda owner: getattr(owner, name)(*arguments, **keywords)


def fromkeys(kind, iterable, value):
    """Return a dict that has one value for all keys."""
    made = kind()
    for key in iterable:
        made[key] = value
    return made


def prod(iterable, /, *, start=1):
    """Return the product of the items, which may be tensors."""
    for item in iterable:
        start = start * item
    return start


def numbers(seq, /):
    """Return the items of ``math.fsum(seq)``, which may be tensors of one element."""
    found = []
    for item in seq:
        if isinstance(item, str):
            raise TypeError("must be real number, not str")
        found.append(float(item))
    return found
