"""Objects that are nothing but their attributes."""

import abc
import argparse
import collections
import contextlib
import inspect
import types
import typing
from collections.abc import Iterator

from rewriter.known_paths import is_library

NAMESPACES = (types.SimpleNamespace, argparse.Namespace)
"""Library classes that are nothing but their attributes."""
_WITHOUT_STATE = (object, abc.ABC, typing.Generic, typing.Protocol)
_USER_DICT = collections.UserDict.__mro__


def is_plain_class(kind: type) -> bool:
    """Return whether instances are their attributes only, read as Python reads them."""
    return holds_only_attributes(kind) and not looks_up_itself(kind)


def holds_only_attributes(kind: type) -> bool:
    """Return whether instances are their attributes only: no base brings state of its own."""
    return all(
        _is_without_state(base) or not is_library(base.__module__) for base in kind.__mro__
    ) and not isinstance(kind, type(typing.NamedTuple))


def _is_without_state(base: type) -> bool:
    """Return whether a class brings no state; that does not ask its class what is equal to it."""
    return any(base is each for each in _WITHOUT_STATE)


def looks_up_itself(kind: type) -> bool:
    """Return whether a class of the user's has a ``__getattribute__``."""
    return any(
        "__getattribute__" in vars(base)
        for base in kind.__mro__
        if not _is_without_state(base) and not is_library(base.__module__)
    )


def is_seen(kind: type, name: str) -> bool:
    """Return whether what an instance has under a name is what its attribute of the name is."""
    declared = inspect.getattr_static(kind, name, None)
    is_hidden = inspect.isdatadescriptor(declared) and not inspect.ismemberdescriptor(declared)
    return name.isidentifier() and not is_hidden


def has_slots(kind: type) -> bool:
    """Return whether instances have attributes outside of a ``__dict__``."""
    return any(vars(base).get("__slots__") for base in kind.__mro__)


def is_argument_class(kind: type) -> bool:
    """Return whether instances of a class can be arguments: they are their attributes."""
    if kind in NAMESPACES or is_plain_class(kind):
        return True
    bases = (base for base in kind.__mro__ if base not in _USER_DICT)
    return issubclass(kind, collections.UserDict) and all(map(is_plain_base, bases))


def is_plain_base(kind: type) -> bool:
    """Return whether a base class brings no state."""
    return kind in (abc.ABC, object) or is_plain_class(kind)


def attributes_of(content: object) -> Iterator[tuple[str, object]]:
    """Yield the attributes of an instance that hold data: its own, then its class's."""
    own = dict(own_attributes(content))
    yield from own.items()
    for name, value in class_attributes(type(content)).items():
        if name not in own:
            yield name, value


def own_attributes(content: object) -> Iterator[tuple[str, object]]:
    """Yield the attributes that an instance has itself, in order."""
    for base in reversed(type(content).__mro__):
        slots: str | tuple[str, ...] = vars(base).get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            if slot in ("__dict__", "__weakref__"):
                continue
            name = _name_of(slot, base)
            if not isinstance(getattr(type(content), name, None), types.MemberDescriptorType):
                continue  # a class further down has something else by that name
            with contextlib.suppress(AttributeError):  # without a value so far
                yield name, object.__getattribute__(content, name)
    try:
        table: dict[str, object] = object.__getattribute__(content, "__dict__")
    except AttributeError:  # there are no others
        return
    yield from table.items()


def _name_of(slot: str, kind: type) -> str:
    """Return the name of a slot's attribute: that of a private one begins with its class's."""
    owner = kind.__name__.lstrip("_")
    is_private = slot.startswith("__") and not slot.endswith("__") and owner != ""
    return f"_{owner}{slot}" if is_private else slot


def class_attributes(kind: type) -> dict[str, object]:
    """Return the data in the bodies of the user's classes: what instances have by default."""
    return {
        name: value
        for base in reversed(kind.__mro__)
        if not is_library(base.__module__)
        for name, value in vars(base).items()
        if not name.startswith(("__", "_abc_")) and not _is_computed(value)
    }


def _is_computed(value: object) -> bool:
    return callable(value) or hasattr(type(value), "__get__")
