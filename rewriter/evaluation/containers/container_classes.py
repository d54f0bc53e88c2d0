"""The user's classes that derive from ``list``, ``dict`` or a named tuple: what is evaluated.

A method that only Python's own C code would call (``__iter__`` by ``list(...)``) must not be
passed over, so a class that overrides more than is evaluated here has no instances.
"""

import dataclasses
import types
from collections import OrderedDict

from rewriter.class_members import class_member
from rewriter.evaluation.instances.user_classes import user_method
from rewriter.known_paths import is_library

_EVALUATED = frozenset(
    {"__init__", "__getattr__", "__getitem__", "__setitem__", "__len__", "__bool__", "__contains__",
     "__missing__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__add__",
     "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__or__", "__ror__", "__and__",
     "__rand__", "__setattr__", "__delattr__", "__delitem__", "__post_init__", "__call__",
     "__enter__", "__exit__"}
)  # fmt: skip
"""Special methods that the evaluator asks the class for."""

SAYING_COPIES = (
    "__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__",
)  # fmt: skip
"""Methods by which a class says what its copies are."""

_OF_THE_CLASS = frozenset(
    {"__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__slots__", "__hash__",
     "__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__",
     "__orig_bases__", "__parameters__", "__class_getitem__", "__init_subclass__",
     "__firstlineno__", "__static_attributes__", "__match_args__", "__new__", "__getnewargs__",
     "__replace__", "__repr__", "__str__", "__dataclass_fields__", "__dataclass_params__",
     "__slotnames__",
     *SAYING_COPIES}
)  # fmt: skip
"""What says nothing of how instances behave, or is looked at elsewhere."""

_OF_ABC = frozenset({"__abstractmethods__", "_abc_impl"})
"""What a class with an abstract base has, whose methods are all there."""

_WALKED = frozenset({"__iter__", "__reversed__", "__getattribute__", "__init__"})


def passed_over(kind: type) -> str | None:
    """Return what a class of lists or dicts defines that is not evaluated, None if nothing."""
    if dataclasses.is_dataclass(kind) and _is_unusual(kind):
        return "it is a dataclass with an order, or a frozen one"
    for owner in kind.__mro__:
        if owner in (list, dict, OrderedDict):
            return None
        if owner.__module__ in ("typing", "abc"):
            continue
        if is_library(owner.__module__):
            return f"it derives from {owner.__name__}"
        for name, found in vars(owner).items():
            if name in _OF_ABC and not getattr(kind, "__abstractmethods__", None):
                continue
            if not _is_evaluated(name, found):
                return f"its class defines {name}"
    return "it is no plain list or dict"


def _is_unusual(kind: type) -> bool:
    parameters = kind.__dataclass_params__  # type: ignore[attr-defined]
    return bool(parameters.order or parameters.frozen)


def _is_evaluated(name: str, found: object) -> bool:
    if name in ("__getattr__", "__setattr__", "__delattr__") and is_of_dict(found):
        return True
    special = name.startswith("__") and name.endswith("__")
    if special and name in _OF_THE_CLASS:
        return name != "__new__"
    return not special or (name in _EVALUATED and isinstance(found, types.FunctionType))


_CALLED = {
    "__init__": ("__setitem__",),
    "update": ("__setitem__",),
    "setdefault": ("__contains__", "__getitem__", "__setitem__"),
    "pop": ("__contains__", "__getitem__", "__delitem__"),
    "popitem": ("__contains__", "__getitem__", "__delitem__"),
}
"""Which methods the C code of an ``OrderedDict``'s methods calls; a dict's calls none."""


def called_instead(kind: type, name: str) -> str | None:
    """Return the method of the user's that an inherited one of an OrderedDict calls, or None."""
    if not issubclass(kind, OrderedDict):
        return None
    return next((own for own in _CALLED.get(name, ()) if user_method(kind, own)), None)


def reads_by_methods(kind: type) -> bool:
    """Return whether ``dict(instance)`` and ``**instance`` call methods of the user's."""
    return issubclass(kind, OrderedDict) and any(
        user_method(kind, name) for name in ("keys", "__getitem__")
    )


def is_of_dict(found: object) -> bool:
    """Return whether a class takes over a method of ``dict``: ``__getattr__ = dict.get``."""
    descriptor = isinstance(found, types.MethodDescriptorType | types.WrapperDescriptorType)
    return descriptor and getattr(found, "__objclass__", None) is dict


def passed_over_of_tuple(kind: type) -> str | None:
    """Return what a class of named tuples defines that is not evaluated, None if nothing."""
    if dataclasses.is_dataclass(kind):
        return "it is a dataclass"
    for owner in kind.__mro__:
        if owner is tuple:
            break
        if is_library(owner.__module__):
            continue
        for name, found in vars(owner).items():
            generated = name == "__new__" and "_fields" in vars(owner)
            if (name in _WALKED or name == "__new__") and not generated:
                return f"its class defines {name}"
            if name == "__getattr__" and not isinstance(found, types.FunctionType):
                return f"its class defines {name}"
    return None


def is_generated(kind: type, name: str) -> bool:
    """Return whether a method of a class of named tuples is the one that was made for it."""
    found = class_member(kind, name)
    function = found.__func__ if isinstance(found, classmethod) else found
    return isinstance(function, types.FunctionType) and function.__module__ == "collections"


def has_own_missing(kind: type) -> bool:
    """Return whether a class of the user's says what a missing key gives."""
    found = class_member(kind, "__missing__")
    return found is not None and not is_library(kind.__module__)
