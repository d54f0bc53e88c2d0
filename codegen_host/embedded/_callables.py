"""Whether a function, class or the like is what the model was compiled with, by its content."""

import enum
import functools
import hashlib
import types
from typing import Any

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
_OF_TORCH = ("dtype", "device", "layout", "memory_format")


class NoFingerprint(Exception):
    """What an object does cannot be told from its content."""


def fingerprint(value: Any, inside: tuple[object, ...] = ()) -> str:
    """Return a text that is equal for objects which do the same.

    Functions are compared by their code, defaults, and what they close over, with the objects
    around a value in ``inside``. Raises NoFingerprint for objects with state of their own.
    """
    for depth, outer in enumerate(inside):
        if value is outer:
            return f"<{depth}>"
    inside = (*inside, value)
    match value:
        case types.FunctionType():
            content = _function(value, inside)
        case types.MethodType():
            content = _all([value.__func__, value.__self__], inside)
        case functools.partial():
            content = _all([value.func, value.args, value.keywords], inside)
        case tuple() | list() if type(value) in (tuple, list):
            content = _all(value, inside)
        case dict() if type(value) is dict:
            content = _all(value.items(), inside)
        case types.CodeType():
            content = _code(value, inside)
        case _:
            return _named(value)
    return f"{type(value).__name__} {hashlib.sha256(content.encode()).hexdigest()[:32]}"


def _all(values: Any, inside: tuple[object, ...]) -> str:
    return ", ".join([fingerprint(value, inside) for value in values])


def _function(value: types.FunctionType, inside: tuple[object, ...]) -> str:
    closed: list[object] = []
    for cell in value.__closure__ or ():
        try:
            closed.append(cell.cell_contents)
        except ValueError as error:
            raise NoFingerprint("a function that closes over nothing yet") from error
    parts = [value.__code__, value.__defaults__, value.__kwdefaults__, closed]
    return f"{value.__module__}: {_all(parts, inside)}"


def _code(code: types.CodeType, inside: tuple[object, ...]) -> str:
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_argcount, code.co_flags)
    constants = [sorted(map(repr, c)) if isinstance(c, frozenset) else c for c in code.co_consts]
    return f"{code.co_code.hex()} {names} {_all(constants, inside)}"


def _named(value: Any) -> str:
    """Return the text of an object that is known by its value or its name."""
    kind = type(value)
    if kind in _PLAIN:
        return f"{kind.__name__} {value!r}"
    if isinstance(value, enum.Enum):
        return f"{kind.__module__}.{kind.__qualname__}.{value.name}"
    if kind.__module__ == "torch" and kind.__name__ in _OF_TORCH:
        return repr(value)
    owner = getattr(value, "__self__", None)
    builtin = isinstance(value, types.BuiltinFunctionType) and (
        owner is None or isinstance(owner, types.ModuleType | type)
    )
    if builtin or isinstance(value, type | types.MethodDescriptorType | types.ModuleType):
        home = getattr(value, "__module__", None) or getattr(owner, "__name__", "")
        return f"{home}.{getattr(value, '__qualname__', value.__name__)}"
    raise NoFingerprint(f"an object of class {kind.__name__}")
