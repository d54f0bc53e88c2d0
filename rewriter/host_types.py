"""The types of objects that exist at run time only, on the host: one description for all.

A type says what is known of every object that a place may hold: ``SequenceType(NumberType(int))``
is a list of integers, ``RecordType`` a dict of known keys or an instance of a user's class. A
mutable object keeps its type for life, so two names for one object never disagree about it.
What is not known when an object is made (the elements of ``[]``) is a ``TypeVariable``, which
its first use decides for everyone (Milner, 1978; without polymorphism).
"""

import numbers
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TypeAlias

import torch

PLAIN = numbers.Real
"""The kind of numbers that are integers or floats of Python's own, and no truths."""


@dataclass(slots=True, eq=False)
class TypeVariable:
    """A type that is not decided yet."""

    bound: "HostType | None" = None
    place: Hashable = None
    """Where objects of the type are kept, for what another evaluation found out of these: the
    field of a class, or what is in the containers that a statement makes (``loose_types``)."""


@dataclass(frozen=True, slots=True, eq=False)
class NumberType:
    """A number. ``kind`` is None where it may be of several types, PLAIN of certain two."""

    kind: type | None
    whole: bool = False
    """Of several types: whether these are ``int`` and integers of numpy's only."""


@dataclass(frozen=True, slots=True, eq=False)
class ConstantType:
    """One object that is known at compile time, such as None."""

    value: object


@dataclass(frozen=True, slots=True, eq=False)
class OptionalType:
    """None, or an object of a type."""

    item: "HostType"


@dataclass(frozen=True, slots=True, eq=False)
class ObjectType:
    """A string or a numpy array: an object of the same type, dtype and shape as a sample."""

    sample: object
    written: bool = False
    """Whether it is an array that is written: its memory was made in the call."""


@dataclass(frozen=True, slots=True, eq=False)
class TensorType:
    """A tensor like another one: dtype, shape and strides."""

    like: torch.Tensor
    any_size: frozenset[int] = frozenset()
    """Dimensions in which tensors of this type differ in size."""
    written: bool = False
    """Whether they are written in place: each has an array of its own then (``homes``)."""


@dataclass(frozen=True, slots=True, eq=False)
class TupleType:
    """A tuple of known length, or a named tuple."""

    items: "tuple[HostType, ...]"
    kind: type = tuple


@dataclass(frozen=True, slots=True, eq=False)
class SequenceType:
    """A list, deque or tuple of any length."""

    element: "HostType"
    kind: type = list


@dataclass(frozen=True, slots=True, eq=False)
class MixedListType:
    """A list of known length whose items have types of their own: ``[tokens, score, state]``."""

    items: "tuple[HostType, ...]"
    kind: type = list


@dataclass(frozen=True, slots=True, eq=False)
class SetType:
    """A set."""

    element: "HostType"
    kind: type = set
    ordered: bool = True
    """Whether it is certainly made as in eager, so that walking it gives the same order."""


@dataclass(frozen=True, slots=True, eq=False)
class MappingType:
    """A dict with any keys. A ``defaultdict`` is a plain dict on the host."""

    key: "HostType"
    value: "HostType"
    kind: type = dict
    maker: object = None
    """The builtin class that makes missing values of a ``defaultdict``; ``OWN_MAKER`` where that
    is something else, None where nothing does."""


@dataclass(frozen=True, slots=True, eq=False)
class RecordType:
    """A dict with certain keys, or an instance of a user's class: a dict by attribute names."""

    fields: "tuple[tuple[object, HostType], ...]"
    kind: type = dict


@dataclass(frozen=True, slots=True, eq=False)
class HandleType:
    """What stands for an instance of a user's class where it is hashed by which one it is.

    The host's dicts have no hash; a method of one has, and is equal to that of the same dict only.
    """

    item: "HostType"


Decided: TypeAlias = (
    NumberType
    | ConstantType
    | OptionalType
    | ObjectType
    | TensorType
    | TupleType
    | SequenceType
    | MixedListType
    | SetType
    | MappingType
    | RecordType
    | HandleType
)
HostType: TypeAlias = Decided | TypeVariable
ContainerType: TypeAlias = SequenceType | MixedListType | SetType | MappingType | RecordType
"""Types of mutable objects, and of tuples of any length."""

OWN_MAKER = "a function of the program"
TEXT = ObjectType("")
NOTHING = ConstantType(None)
