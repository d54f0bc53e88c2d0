"""What dycl knows of library functions: tensor operations, pure functions, output."""

import contextlib
import enum
import importlib.metadata
import importlib.util
import logging
import os
import pprint
import re
import sys
import time
import types
import warnings
from collections.abc import MutableMapping, MutableSequence, MutableSet

import numpy

from rewriter.known_paths import is_library


class LibraryKind(enum.Enum):
    """How a library function may be evaluated."""

    TORCH = "a tensor operation, tried on fake tensors"
    PURE = "a function of its arguments alone: run now, or on the host"
    OUTPUT = "prints or logs: kept on the host"
    CLOCK = "reads a clock: kept on the host"
    UNKNOWN = "its effects are not known"


_PURE_MODULES = frozenset(
    {
        "_bisect", "_collections", "_functools", "_heapq", "_operator", "_statistics", "abc",
        "bisect", "builtins", "cmath", "collections", "collections.abc", "copy", "dataclasses",
        "enum", "fractions", "functools", "heapq", "inspect", "itertools", "math", "numbers",
        "operator", "re", "statistics", "string", "types", "typing", "decimal", "textwrap",
    }
)  # fmt: skip
_IMPURE_NAMES = frozenset(
    {"open", "input", "exec", "eval", "compile", "__import__", "globals", "locals", "vars", "id",
     "breakpoint", "exit", "quit", "setattr", "delattr", "hash", "memoryview",
     "heappush", "heappop", "heapify", "heapreplace", "heappushpop", "insort", "insort_left",
     "insort_right", "setitem", "delitem", "iadd", "iconcat", "iand", "ior", "ixor", "isub", "imul"}
)  # fmt: skip
_IMMUTABLE = (str, bytes, int, float, complex, tuple, frozenset, range, slice, re.Pattern, re.Match,
              type(None), types.MappingProxyType, enum.Enum)  # fmt: skip
READING = frozenset(
    {"union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset",
     "isdisjoint", "copy", "fromkeys", "keys", "values", "items", "get", "index", "count",
     "most_common", "elements", "total", "new_child", "__contains__", "__len__", "__getitem__",
     "__iter__", "__reversed__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__",
     "__add__", "__radd__", "__mul__", "__rmul__", "__or__", "__ror__", "__and__", "__rand__",
     "__sub__", "__rsub__", "__xor__", "__rxor__", "__repr__", "__str__", "__hash__"}
)  # fmt: skip
"""Methods that leave a mutable object of the standard library as it is."""
_OF_CLASSES = ("__subclasses__", "mro")
"""Methods of classes that say how classes are made up, as they are when compiled."""
_OUTPUT = (print, warnings.warn)
_CLOCKS = (time.time, time.monotonic, time.perf_counter, time.process_time, time.thread_time)
_CLOCKS_IN_NANOSECONDS = (
    time.time_ns, time.monotonic_ns, time.perf_counter_ns, time.process_time_ns,
    time.thread_time_ns,
)  # fmt: skip

_ASKING = (
    logging.getLogger, importlib.util.find_spec, importlib.metadata.version, os.getenv,
)  # fmt: skip
"""What says what there is where the program is compiled."""

_PURE = (contextlib.nullcontext, contextlib.suppress, pprint.pformat)
"""Functions of their arguments alone in modules that have others."""

_LOGGING = ("debug", "info", "warning", "error", "critical", "log")
_ASKING_LOGGERS = {"isEnabledFor": bool, "getEffectiveLevel": int}
"""What loggers say of what they write down, which is as wherever the host runs."""


_METHODS = (types.FunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)
_CONTAINERS = (MutableSequence, MutableMapping, MutableSet)


def method_of_container(function: object, first: object) -> str | None:
    """Return the name of a library's method that is called on a container, as its first argument.

    ``list.append(self.items, x)``, ``Counter.update(self.counts, words)``.
    """
    if not isinstance(function, _METHODS) or not isinstance(first, _CONTAINERS):
        return None
    name = function.__name__
    is_own = any(vars(kind).get(name) is function for kind in type(first).__mro__)
    return name if is_own and is_library(_module_of(function)) else None


def is_logging(function: object) -> bool:
    """Return whether a function, or method of a logger, writes to a log."""
    return _module_of(function) == "logging" and getattr(function, "__name__", "") in _LOGGING


def asked_of_logger(function: object) -> type | None:
    """Return what a logger's answer is, None for functions that ask nothing of a logger."""
    is_asked = _module_of(function) == "logging"
    return _ASKING_LOGGERS.get(getattr(function, "__name__", "")) if is_asked else None


def library_kind(function: object) -> LibraryKind:
    """Return how calls of a library function are evaluated."""
    if clock_type(function) is not None:
        return LibraryKind.CLOCK
    module = _module_of(function)
    logs = is_logging(function) or asked_of_logger(function) is not None
    if logs or any(function is each for each in _OUTPUT):
        return LibraryKind.OUTPUT
    if any(function is each for each in _ASKING):
        return LibraryKind.PURE
    root = module.partition(".")[0]
    if root == "torch":
        return LibraryKind.TORCH
    if root == "numpy":
        return _numpy_kind(module, function)
    name = getattr(function, "__name__", "")
    if name in _OF_CLASSES and isinstance(function, types.BuiltinMethodType):
        return LibraryKind.PURE
    if any(function is each for each in _PURE):
        return LibraryKind.PURE
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, (*_IMMUTABLE, types.ModuleType, type)):
        return LibraryKind.PURE if name in READING else LibraryKind.UNKNOWN
    if module in _PURE_MODULES and name not in _IMPURE_NAMES:
        return LibraryKind.PURE
    return LibraryKind.UNKNOWN


def clock_type(function: object) -> type | None:
    """Return what a clock of the standard library gives, None for other functions."""
    if any(function is each for each in _CLOCKS):
        return float
    return int if any(function is each for each in _CLOCKS_IN_NANOSECONDS) else None


def _numpy_kind(module: str, function: object) -> LibraryKind:
    if module.startswith("numpy.random") or getattr(function, "__name__", "") in (
        "save", "load", "savez", "savetxt", "loadtxt", "fromfile", "seterr",
    ):  # fmt: skip
        return LibraryKind.UNKNOWN
    return LibraryKind.PURE


def is_numpy(function: object) -> bool:
    """Return whether a function, or a method, is one of numpy's."""
    return _module_of(function).partition(".")[0] == "numpy"


def _module_of(function: object) -> str:
    owner = getattr(function, "__self__", None)
    if isinstance(function, types.BuiltinMethodType) and owner is not None:
        if isinstance(owner, types.ModuleType):
            return owner.__name__
        kind = owner if isinstance(owner, type) else type(owner)
        return kind.__module__
    if isinstance(function, numpy.ufunc):
        return "numpy"
    module = getattr(function, "__module__", None)
    if module is None and isinstance(
        function, types.MethodWrapperType | types.MethodDescriptorType
    ):
        module = getattr(function, "__objclass__", object).__module__
    if module is None:
        module = type(function).__module__
    return (
        module if (isinstance(module, str) and module in sys.modules) or is_library(module) else ""
    )
