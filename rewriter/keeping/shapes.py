"""How kept values look at the entry of a call: structure, and which leaves change."""

from collections.abc import Hashable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeAlias

import torch

from rewriter.size_expressions import is_dense_layout

_LITERALS = (type(None), bytes, type(Ellipsis), torch.dtype, torch.device, torch.Size)


class Unkeepable(Exception):
    """A value cannot be kept from one call to the next; the text says why."""


@dataclass(frozen=True, slots=True, eq=False)
class Fixed:
    """One and the same object in every call."""

    value: object

    def __eq__(self, other: object) -> bool:
        """Return whether it is the same number or string, or the very same object."""
        return isinstance(other, Fixed) and _same(self.value, other.value)

    def __hash__(self) -> int:
        """Return a hash that equal ones share."""
        return hash(type(self.value))


@dataclass(frozen=True, slots=True)
class Number:
    """A number that changes."""

    kind: type | None


@dataclass(frozen=True, slots=True)
class Text:
    """A string that changes."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor that changes.

    ``shared``: something else may hold it or its memory, so it must not be written in place.
    """

    dtype: torch.dtype
    shape: tuple[int | None, ...]
    """None where the size changes: then the tensor lies by rows."""
    stride: tuple[int, ...]
    shared: bool

    @property
    def open_sizes(self) -> frozenset[int]:
        """Return the dimensions whose size changes."""
        return frozenset(place for place, size in enumerate(self.shape) if size is None)


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list, deque or tuple of known length."""

    kind: type
    items: tuple["Shape", ...]
    bound: int | None = None
    """``maxlen`` of a deque."""


@dataclass(frozen=True, slots=True)
class Growing:
    """A list whose length changes; all its elements look alike."""

    element: "Shape | None"


@dataclass(frozen=True, slots=True)
class Mapping:
    """A dict with known keys."""

    kind: type
    items: tuple[tuple[object, "Shape"], ...]
    factory: object = None
    """What makes the missing values of a ``defaultdict``."""


@dataclass(frozen=True, slots=True)
class Keyed:
    """A dict whose keys change; all its keys look alike, and all its values."""

    kind: type
    key: "Shape | None"
    value: "Shape | None"
    factory: object = None


@dataclass(frozen=True, slots=True)
class Members:
    """A set of objects known at compile time."""

    kind: type
    items: frozenset[object]


@dataclass(frozen=True, slots=True)
class Gathered:
    """A set whose elements change; all of them look alike."""

    element: "Shape | None"


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a user's class that was made in a call."""

    kind: type
    attributes: tuple[tuple[str, "Shape"], ...]


@dataclass(frozen=True, slots=True)
class Record:
    """An object, or a dict with certain keys, in a container whose elements change."""

    kind: type
    fields: tuple[tuple[str, "Shape"], ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """A list, dict or object that was met before, counted from the first root."""

    number: int


@dataclass(frozen=True, slots=True)
class Unset:
    """No such attribute yet."""


Shape: TypeAlias = (
    Fixed
    | Number
    | Text
    | Tensor
    | Sequence
    | Growing
    | Mapping
    | Keyed
    | Members
    | Gathered
    | Instance
    | Record
    | Repeated
    | Unset
)
Phase: TypeAlias = tuple[Shape, ...]
"""One shape for each root."""


def tensor_shape(tensor: torch.Tensor, *, shared: bool) -> Tensor:
    """Return what a tensor looks like."""
    shape = tuple(int(size) for size in tensor.shape)
    return Tensor(tensor.dtype, shape, tuple(tensor.stride()), shared)


def open_shape(tensor: torch.Tensor, dimensions: AbstractSet[int], *, shared: bool) -> Tensor:
    """Return what a tensor looks like whose size changes in some dimensions. Raises Unkeepable."""
    if not is_dense_layout(tensor):
        text = "a tensor whose size changes, and which does not lie by rows, cannot be kept"
        raise Unkeepable(text)
    sizes = (None if at in dimensions else int(size) for at, size in enumerate(tensor.shape))
    return Tensor(tensor.dtype, tuple(sizes), (), shared)


def structure(shape: Shape | None) -> Hashable:
    """Return what two shapes must have in common to be one phase."""
    match shape:
        case None | Unset() | Members() | Repeated():
            return shape
        case Fixed():
            return _fixed_structure(shape.value)
        case Number():
            return ("number", shape.kind)
        case Text() | Growing() | Gathered():
            return type(shape).__name__
        case Tensor():
            return _tensor_structure(shape)
        case Sequence():
            return (shape.kind, shape.bound, tuple(map(structure, shape.items)))
        case Mapping():
            pairs = tuple((key, structure(item)) for key, item in shape.items)
            return (shape.kind, pairs, id(shape.factory))
        case Keyed():
            return ("keyed", shape.kind, id(shape.factory))
        case Instance(kind, named) | Record(kind, named):
            return (type(shape), kind, tuple((name, structure(item)) for name, item in named))


def _fixed_structure(value: object) -> Hashable:
    if type(value) in (bool, int, float):
        return ("number", type(value))
    if type(value) is str:
        return Text.__name__
    if isinstance(value, torch.Tensor):
        return _tensor_structure(tensor_shape(value, shared=False))
    if isinstance(value, _LITERALS):
        return ("literal", type(value), value)
    return ("object", id(value))


def _tensor_structure(shape: Tensor) -> Hashable:
    return ("tensor", shape.dtype, shape.shape, shape.stride)


def is_list(shape: Shape) -> bool:
    """Return whether a shape is that of a list of known length."""
    return isinstance(shape, Sequence) and shape.kind is list


def parts_of(shape: Shape) -> "tuple[Shape, ...]":
    """Return the shapes of what a value holds."""
    match shape:
        case Sequence():
            return shape.items
        case Mapping():
            return tuple(item for _, item in shape.items)
        case Instance():
            return tuple(item for _, item in shape.attributes)
        case Record():
            return tuple(item for _, item in shape.fields)
        case Growing() | Gathered():
            return () if shape.element is None else (shape.element,)
        case Keyed():
            return tuple(item for item in (shape.key, shape.value) if item is not None)
        case _:
            return ()


def _same(left: object, right: object) -> bool:
    if type(left) is float and type(right) is float:
        return left.hex() == right.hex()
    if type(left) in (bool, int, str) or isinstance(left, _LITERALS):
        return type(left) is type(right) and left == right
    return left is right
