"""Special methods of own classes: containers, iteration, calls, operators, comparison."""

import functools
import operator

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]
THREE = [(POSITIVE,), (NEGATIVE,), (MIXED,)]


class Table:
    """A sequence-like object."""

    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, key):
        if isinstance(key, slice):
            return Table(self.rows[key])
        return self.rows[key]

    def __setitem__(self, key, value):
        self.rows[key] = value

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        for row in self.rows:
            yield row * 2

    def __contains__(self, value):
        return value == "known"

    def __call__(self, scale):
        return [row * scale for row in self.rows]

    def __add__(self, other):
        return Table(self.rows + other.rows)

    def __radd__(self, other):
        return self if other == 0 else NotImplemented  # known

    def __eq__(self, other):
        return isinstance(other, Table) and len(self) == len(other)


@case(inputs=BOTH)
def special_methods(x):
    """__getitem__, __setitem__, __iter__, __contains__, __call__, __add__, __eq__."""
    table = Table([x[0], x[1]])
    if x.sum() > 0:
        table[0] = table[0] + 1
        table = table + table[1:]
    doubled = list(table)
    same = sum([table, Table([])]) == table, table == 3
    return doubled, len(table), "known" in table, table(3), table[-1], same


@case(inputs=BOTH)
def iterator_object(x):
    """An object with __iter__ and __next__ that stops by StopIteration."""

    class Countdown:
        """Counts down."""

        def __init__(self, start):
            self.left = start

        def __iter__(self):
            return self

        def __next__(self):
            if self.left == 0:
                raise StopIteration
            self.left -= 1
            return self.left

    counter = Countdown(4 if x.sum() > 0 else 2)
    first = next(counter)
    return first, list(counter), next(counter, "over")


class Vector:
    """An object around a tensor."""

    def __init__(self, data):
        self.data = data

    def __matmul__(self, other):
        return (self.data * other.data).sum()

    def __neg__(self):
        return Vector(-self.data)

    def __lt__(self, other):
        return bool(self.data.sum() < other.data.sum())

    def __getattr__(self, name):
        if name == "norm":
            return self.data.norm()
        raise AttributeError(name)


@case(inputs=THREE)
def operators_and_getattr(x):
    """Operators on own objects, sorted by __lt__, __getattr__ for missing names."""
    a, b = Vector(x[0]), Vector(x[1])
    low, high = sorted([a, b])
    product = low @ -high
    try:
        product = product + a.missing
    except AttributeError as error:
        name = str(error)
    return product, low.norm, name, hasattr(a, "other")


class Length:
    """A number with a unit: methods that are not implemented for other operands say so."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == other.value if isinstance(other, Length) else NotImplemented

    def __lt__(self, other):
        return self.value < other.value if isinstance(other, Length) else NotImplemented

    def __add__(self, other):
        if isinstance(other, int | float):
            return Length(self.value + other)
        return NotImplemented

    __hash__ = None


class Area:
    """What a length is added to, or compared with, by its own methods."""

    def __init__(self, value):
        self.value = value

    def __radd__(self, other):
        return self.value, other.value

    def __gt__(self, other):
        return self.value > other.value * 2

    def __eq__(self, other):
        return self.value == 4

    __hash__ = None


class Rounded(Length):
    """Its methods are asked first, being of the narrower class."""

    def __radd__(self, other):
        return Length(other.value + int(self.value))

    def __gt__(self, other):
        return int(self.value) > int(other.value)

    def __eq__(self, other):
        return int(self.value) == int(other.value)

    __hash__ = None


@functools.total_ordering
class Level:
    """A class whose other comparisons ``functools`` writes."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == other.value

    def __lt__(self, other):
        return self.value < other.value

    __hash__ = None


KEPT = Length(1.5)


@case(inputs=[(1.5,), (2.5,), (-0.5,)])
def unequal_by_equal(v):
    """A class without ``__ne__`` is unequal where it is not equal."""
    own, same = Length(v), Length(v)
    plain = own != same, KEPT != own, own != KEPT, operator.ne(own, same)
    return plain, own != 3, None != own, own == 3, [own] != [same], own < KEPT


@case(inputs=[(1.5,), (4.0,), (-0.5,)])
def not_implemented(v):
    """What the left operand's method leaves to the right one's, which may be neither's."""
    return Length(v) + Area(3), Length(v) < Area(3), Length(v) == Area(v), (Length(v) + 1).value


@case(inputs=[(1.5,), (2.25,), (-0.5,)])
def narrower_class_first(v):
    """The right operand's method is asked first where its class is a subclass of the left's."""
    left, right = Length(v), Rounded(2.75)
    return (left + right).value, left < right, left == right, left != right, right == left


@case(inputs=[(1.5,), (2.0,), (3.5,)])
def total_ordering(v):
    """Comparisons that ``functools.total_ordering`` adds to a class."""
    left, right = Level(v), Level(2.0)
    return left <= right, left > right, left >= right, left != right


class Reading:
    """A measured value that is a number where one is asked for."""

    def __init__(self, value):
        self.value = value

    def __int__(self):
        return int(self.value) * 2

    def __float__(self):
        return self.value / 4


class Place:
    """A position, which is an integer and nothing else."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


@case(inputs=[(1.5,), (-7.25,), (0.0,)])
def numbers_of_objects(v):
    """``int`` and ``float`` of objects ask their classes."""
    place = Place(int(v))
    return int(Reading(v)), float(Reading(v)), int(place), float(place), int(Place(3))
