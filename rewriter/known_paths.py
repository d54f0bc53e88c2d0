"""How generated code reaches library objects: ``math.sqrt`` is ``("math", "sqrt")``."""

import logging
import os
import sys
import types
from collections.abc import Callable

import numpy
import torch

_LIBRARIES = frozenset({"torch", "numpy"}) | sys.stdlib_module_names
_STANDARD_FILES = os.path.dirname(os.__file__) + os.sep
_INSTALLED_FILES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_SHADOWS: dict[str, tuple[types.ModuleType | None, bool]] = {}
"""For names of standard modules: the module that was found, and whether it is another one."""
_EVALUATED = ("torch.distributions", "collections.abc")
"""Parts of libraries that are evaluated: their objects hold tensors, or call the user's methods."""


def is_library(module_name: str | None) -> bool:
    """Return whether a module belongs to torch, numpy or the standard library.

    Calls into these are leaves; everything else is the user's source and is inlined.
    """
    evaluated = module_name is not None and module_name.startswith(_EVALUATED)
    return is_standard(module_name) and not evaluated


def is_leaf(code: Callable[..., object]) -> bool:
    """Return whether a function or class is a library's: ``UserDict`` and others are evaluated."""
    owner = code.__qualname__.partition(".")[0]
    evaluated = code.__module__ == "collections" and owner in ("UserDict", "UserList", "ChainMap")
    return is_of_library(code) and not evaluated


def is_of_library(code: object) -> bool:
    """Return whether a function or class is a library's, and so is its source.

    What ``functools.wraps`` has made around a function of a library's says that function's module.
    """
    module = getattr(code, "__module__", None)
    if isinstance(code, types.FunctionType):
        return is_library(module) and is_library(code.__globals__.get("__name__"))
    return is_library(module)


def is_standard(module_name: str | None) -> bool:
    """Return whether a module comes with Python, torch or numpy."""
    if module_name is None:
        return False
    first = module_name.partition(".")[0]
    return first in _LIBRARIES and not _is_shadowed(first)


def _is_shadowed(name: str) -> bool:
    """Return whether a file of the user's has the name of a standard module: ``token.py``."""
    module = sys.modules.get(name)
    known = _SHADOWS.get(name)
    if known is None or known[0] is not module:
        known = _SHADOWS[name] = (module, name not in ("torch", "numpy") and _is_users(module))
    return known[1]


def _is_users(module: types.ModuleType | None) -> bool:
    file = getattr(module, "__file__", None)
    if not isinstance(file, str):
        return False
    is_standard_file = file.startswith(_STANDARD_FILES)
    return not is_standard_file or any(part in file for part in _INSTALLED_FILES)


def import_path(value: object) -> tuple[str, str] | None:
    """Return ``(module, attribute)`` under which a library object can be imported.

    That of a logger is the call that gives it.
    """
    if isinstance(value, types.ModuleType):
        return (value.__name__, "") if is_library(value.__name__) else None
    if isinstance(value, logging.Logger):
        registered = logging.getLogger(value.name) is value
        return ("logging", f"getLogger({value.name!r})") if registered else None
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
        return ("torch", str(value).removeprefix("torch."))
    module_name = getattr(value, "__module__", None)
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if not isinstance(name, str):
        return _path_of_object(value)
    # a function of torch is a method of what nothing names: ``_VariableFunctionsClass.unsqueeze``
    names = dict.fromkeys((name, getattr(value, "__name__", name)))
    for candidate in (module_name, "torch", "torch.nn.functional", "numpy", "builtins"):
        module = sys.modules.get(candidate) if isinstance(candidate, str) else None
        for each in names if is_library(candidate) else ():
            if module is not None and getattr(module, each, None) is value:
                return (module.__name__, each)
    return _path_of_method(value)


def _path_of_object(value: object) -> tuple[str, str] | None:
    """Return what numpy calls an object of its own that is no function or class: ``np.r_``.

    That of an element type is the call that gives it.
    """
    if isinstance(value, numpy.dtype):
        native = numpy.dtype(value.type) == value
        return ("numpy", f"dtype({value.name!r})") if native else None
    if not type(value).__module__.startswith("numpy.lib"):
        return None
    return next((("numpy", name) for name, known in vars(numpy).items() if known is value), None)


def _path_of_method(value: object) -> tuple[str, str] | None:
    """Return how a module calls a method of an instance that it keeps: ``random.random``."""
    home, name = type(getattr(value, "__self__", None)).__module__, getattr(value, "__name__", "")
    module = sys.modules.get(home)
    if module is None or not is_library(home) or getattr(module, name, None) is not value:
        return None
    return (home, name)
