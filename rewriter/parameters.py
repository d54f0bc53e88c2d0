"""The parameters of a program: what is given at run time, what is fixed, containers of both."""

import enum
import functools
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import torch

from rewriter.specs import VariableSpec

FIXED = (
    str, bytes, range, slice, type(None), enum.Enum, torch.dtype, torch.device, torch.layout,
    torch.memory_format, type(Ellipsis),
)  # fmt: skip
"""What is fixed at compile time; hosts compare it with what they are given."""
CALLABLE = (
    type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial,
)  # fmt: skip
"""The same, but for attributes of objects, which hold such things for others to use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableInput:
    """An argument, or a part of one, that is given at run time: a tensor or a number."""

    variable: str
    spec: VariableSpec
    written: bool = False
    """Whether the call writes it in place: the caller sees that."""
    separate: bool = False
    """Whether the program asks if it is another argument: taken not to be, which calls keep to."""
    by_rows: bool = False
    """Whether it must lie in memory by rows: the program reads memory by its layout."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticInput:
    """An argument, or a part of one, fixed at compile time and checked at call time."""

    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class SequenceInput:
    """A list or tuple of known length."""

    kind: type[list[object]] | type[tuple[object, ...]]
    items: tuple["InputSpec", ...]
    given: str | None = None
    """The variable of the list itself, where the call changes it: the caller sees that."""
    is_own: bool = False
    """Whether it is of a class of the user's: it must have no attributes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingInput:
    """A dict with known keys."""

    items: tuple[tuple[object, "InputSpec"], ...]
    given: str | None = None
    """The variable of the dict itself, where the call changes it."""
    is_own: bool = False
    """Whether it is of a class of the user's: its attributes must be its items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectInput:
    """An object with known attributes, of whatever class."""

    name: str
    """The class of the example."""
    attributes: tuple[tuple[str, "InputSpec"], ...]
    absent: tuple[str, ...] = ()
    """Attributes that the program has asked for and not found."""
    whole: bool = False
    """Whether there must be no other attributes."""
    answers: bool = False
    """Whether its class has a ``__getattr__``: what that gives, the object does not have itself."""
    given: str | None = None
    """The variable of the object itself, where the call changes it."""


InputSpec: TypeAlias = VariableInput | StaticInput | SequenceInput | MappingInput | ObjectInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter of the entry point, named as in the original signature."""

    name: str
    spec: InputSpec
    keyword_only: bool = False
    default: StaticInput | None = None
    """The original's default where the example inputs left the parameter out; the host
    then takes the parameter as optional, and only with this value."""
    star: Literal["", "*", "**"] = ""
    """``*`` where it takes all further positional arguments (``spec`` is a tuple), ``**``
    where it takes all further keyword arguments (``spec`` is a mapping of their names)."""


def input_variables(spec: InputSpec) -> Iterator[str]:
    """Yield the variables that an argument gives values to, in order."""
    for variable, _ in places_of(spec, ""):
        yield variable


def places_of(spec: InputSpec, place: str) -> Iterator[tuple[str, str]]:
    """Yield each variable that an argument gives a value to, and the expression of its value.

    ``place`` is the expression of the argument itself.
    """
    match spec:
        case VariableInput():
            yield spec.variable, place
            return
        case StaticInput():
            return
        case SequenceInput():
            parts = [(f"{place}[{index}]", item) for index, item in enumerate(spec.items)]
        case MappingInput():
            parts = [(f"{place}[{key!r}]", item) for key, item in spec.items]
        case ObjectInput():
            parts = [(f"{place}.{name}", item) for name, item in spec.attributes]
    if spec.given is not None:
        yield spec.given, place
    for inner, item in parts:
        yield from places_of(item, inner)
