"""Objects of user classes that leave the program: how they are made again without their code."""

import dataclasses
import functools
import types
from collections import OrderedDict
from dataclasses import dataclass
from enum import Enum, Flag
from types import NoneType
from typing import Any

import numpy
import torch

from rewriter.evaluation.instances.user_classes import user_method
from rewriter.known_paths import is_library
from rewriter.plain_objects import NAMESPACES

RETURNABLE = (
    bool, int, float, complex, str, bytes, range, slice, type(None), type(Ellipsis), torch.Tensor,
    torch.Size, numpy.generic,
)  # fmt: skip
"""Classes whose known objects leave the program as they are."""


@dataclass(frozen=True, slots=True, eq=False)
class ObjectMaker:
    """Makes an instance of a class from its attributes; ``__init__`` is not run.

    The rewritten program calls it under PyTorch. A host package declares a class of the same
    name instead, whose instances are made by the same call.
    """

    kind: type

    def __call__(self, /, *items: object, **attributes: object) -> object:
        """Return an instance.

        ``items`` are a tuple's items, the arguments of an exception, the content of a list or dict.
        """
        if issubclass(self.kind, tuple):
            return tuple.__new__(self.kind, items)
        if issubclass(self.kind, list | dict):
            made: object = _filled(self.kind, *items)
        elif issubclass(self.kind, BaseException):
            made = self.kind.__new__(self.kind, *items)
            attributes = {"args": items, **attributes}
            attributes.pop("__str__", None)  # the class has its own
        else:
            made = object.__new__(self.kind)
        for name, value in attributes.items():
            object.__setattr__(made, name, value)
        return made


def _filled(kind: type, content: Any) -> object:
    """Return an instance of a class of lists or dicts, made without calling its methods."""
    made: Any = kind.__new__(kind)  # type: ignore[call-overload]
    if isinstance(made, list):
        list.extend(made, content)
        return made
    put = OrderedDict.__setitem__ if isinstance(made, OrderedDict) else dict.__setitem__
    for key, item in content.items():
        put(made, key, item)
    return made


def text_of(content: object) -> str | None:
    """Return the text that leaves the program for what is only there with PyTorch or its source.

    That is a dtype, a device and their kind as PyTorch writes them, and a class by its name;
    None for anything else.
    """
    if isinstance(content, torch.dtype | torch.device | torch.layout | torch.memory_format):
        return str(content)
    return content.__qualname__ if isinstance(content, type) else None


def is_named_tuple(kind: type) -> bool:
    """Return whether a class is a named tuple's (those of torch are not)."""
    return issubclass(kind, tuple) and isinstance(getattr(kind, "_fields", None), tuple)


def is_bare_enumeration(kind: type) -> bool:
    """Return whether a class is an enumeration that is nothing but names with literal values.

    Its members may be declared again without the user's file. Flags, which combine members,
    and enumerations that decide how members are made, written or compared are none.
    """
    if not issubclass(kind, Enum) or issubclass(kind, Flag) or not kind.__members__:
        return False
    own = [base for base in kind.__mro__ if not is_library(base.__module__)]
    special = {
        name for base in own for name, value in vars(base).items() if _is_special(name, value)
    }
    whole = kind._member_type_ is object  # type: ignore[attr-defined]
    return not special and all(
        _is_literal(item.value, tuples=whole) and vars(item).keys() <= _OF_MEMBERS for item in kind
    )


def _is_literal(value: object, tuples: bool) -> bool:
    if tuples and type(value) is tuple:
        return all(_is_literal(item, tuples=True) for item in value)
    return type(value) in (bool, int, float, str, bytes, NoneType)


_OF_MEMBERS = frozenset({"_value_", "_name_", "__objclass__", "_sort_order_"})


def _is_special(name: str, value: object) -> bool:
    """Return whether a name of a class body changes what Python does with members."""
    return name == "_missing_" or (name.startswith("__") and _is_code(value))


def makes_itself(kind: type) -> bool:
    """Return whether calling a class with its fields does nothing but set them."""
    if kind in NAMESPACES:
        return True
    if any(user_method(kind, name) for name in ("__init__", "__post_init__", "__setattr__")):
        return False
    if "__new__" in _own_names(kind):
        return False
    if dataclasses.is_dataclass(kind):
        return not issubclass(kind, list | dict) and all(
            field.init for field in dataclasses.fields(kind)
        )
    return is_named_tuple(kind) or issubclass(kind, BaseException | list | dict)


def lost_names(kind: type) -> tuple[str, ...]:
    """Return the methods and properties that a class of the same fields does not have."""
    reading = _READING if issubclass(kind, list | dict) else frozenset()
    found = [
        name
        for base in reversed(kind.__mro__)
        if not is_library(base.__module__)
        for name, value in vars(base).items()
        if _is_code(value) and (not name.startswith("__") or name in reading)
    ]
    return tuple(dict.fromkeys(found))


_READING = frozenset({"__getitem__", "__len__", "__bool__", "__contains__", "__missing__"})
"""Methods of lists and dicts that callers may take to be the builtin class's."""


def _is_code(value: object) -> bool:
    if isinstance(value, types.FunctionType):
        # What ``NamedTuple`` and ``dataclass`` write themselves has no file.
        return not is_library(value.__module__) and value.__code__.co_filename[:1] != "<"
    if isinstance(value, classmethod | staticmethod):
        return _is_code(value.__func__)
    return isinstance(value, property | functools.cached_property)


def _own_names(kind: type) -> frozenset[str]:
    """Return the names that the user's own class bodies define."""
    return frozenset(
        name
        for base in kind.__mro__
        if not is_library(base.__module__)
        for name, value in vars(base).items()
        if _is_code(value)
    )
