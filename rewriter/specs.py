"""What a run-time variable holds: a tensor, a number, an object; and the schemas of arguments."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import torch

ARRAY_DTYPES = frozenset({
    torch.bool, torch.float16, torch.float32, torch.float64, torch.int8, torch.int16, torch.int32,
    torch.int64, torch.uint8,
})  # fmt: skip
"""Element types that numpy's arrays have, too, and compiled sub-DNNs take and give."""

Dimension: TypeAlias = int | str
"""A size: a number, or the canonical text of a size expression (``seq``, ``u0 + 1``).

Texts are over the symbols of ``Function.symbols``. Equal text means equal size, within one
function."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SymbolRange:
    """Which sizes a symbol may stand for, bounds included."""

    minimum: int = 0
    maximum: int | None = None

    @property
    def value(self) -> int | None:
        """Return the only size there is; None where there are more."""
        return self.minimum if self.minimum == self.maximum else None

    def within(self, other: "SymbolRange") -> "SymbolRange":
        """Return which of these sizes are in another range; these where none is."""
        ends = [end for end in (self.maximum, other.maximum) if end is not None]
        low, high = max(self.minimum, other.minimum), min(ends, default=None)
        return self if high is not None and high < low else SymbolRange(minimum=low, maximum=high)

    def around(self, other: "SymbolRange") -> "SymbolRange":
        """Return the least range that has all of both."""
        ends = (self.maximum, other.maximum)
        return SymbolRange(
            minimum=min(self.minimum, other.minimum),
            maximum=None if None in ends else max(end for end in ends if end is not None),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorSpec:
    """A tensor: element type and shape."""

    dtype: torch.dtype
    shape: tuple[Dimension, ...]
    strides: tuple[int, ...] | None = field(default=None, compare=False, repr=False)
    """How it lies in memory in eager PyTorch, where that is known."""
    storage: int | None = field(default=None, compare=False, repr=False)
    """What it has in common with all that shares its memory (``storage_key``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalarSpec:
    """A Python number on the host. ``type`` is None when it may be of several types."""

    type: type | None
    minimum: int | None = None
    """The least it can be, where that is known."""
    maximum: int | None = None
    size: str | None = None
    """For integers: the size expression that it equals (see ``Dimension``), where known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSpec:
    """Any other host value: a run-time list, a string, a numpy array."""

    description: str
    array: TensorSpec | None = None
    """Element type and shape of a numpy array that is an argument."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyText:
    """A string."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """One object fixed at compile time."""

    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOrNone:
    """None, or what a schema describes."""

    item: "Schema"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOf:
    """A list of any length; ``item`` is None where the example had no element."""

    item: "Schema | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetOf:
    """A set with any number of elements."""

    item: "Schema"


@dataclass(frozen=True, slots=True, kw_only=True)
class TupleOf:
    """A tuple."""

    items: tuple["Schema", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceOf:
    """An object with the attributes of a class, by its name in ``ObjectSpec.classes``."""

    name: str


Schema: TypeAlias = (
    TensorSpec | ScalarSpec | AnyText | Constant | OneOrNone | ListOf | SetOf | TupleOf | InstanceOf
)
"""What a part of an object of run-time structure may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassSchema:
    """What the program reads of the instances of a class."""

    attributes: tuple[tuple[str, Schema], ...]
    partial: tuple[tuple[str, Schema], ...] = ()
    """Attributes that an instance may have or not."""
    absent: tuple[str, ...] = ()
    """Attributes that the program has asked for and not found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectSpec:
    """An argument whose structure is known only at run time."""

    root: Schema
    classes: Mapping[str, ClassSchema]


VariableSpec: TypeAlias = TensorSpec | ScalarSpec | HostSpec | ObjectSpec
