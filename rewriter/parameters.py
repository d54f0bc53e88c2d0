"""The parameters of a program: what is given at run time, what is fixed, containers of both."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from rewriter.specs import VariableSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableInput:
    """An argument, or a part of one, that is given at run time: a tensor or a number."""

    variable: str
    spec: VariableSpec
    written: bool = False
    """Whether the call writes it in place: the caller sees that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticInput:
    """An argument, or a part of one, fixed at compile time and checked at call time."""

    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class SequenceInput:
    """A list or tuple of known length."""

    kind: type[list[object]] | type[tuple[object, ...]]
    items: tuple["InputSpec", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingInput:
    """A dict with known keys."""

    items: tuple[tuple[object, "InputSpec"], ...]


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
