"""Cached functions of known arguments that are called, not evaluated: parsers of patterns, sizes.

What such a function gives is one object for all calls, which it makes once. It is called while
compiling where nothing but its result can come of that, and nothing but its code and arguments
decide what that is: Python's profiler tells each function that the call enters before it is.
"""

import builtins
import dis
import functools
import sys
import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping
from typing import Any

from rewriter.keeping.reach import own_of_function
from rewriter.keeping.shared_reach import shared_objects
from rewriter.known_paths import is_library
from rewriter.plain_objects import is_plain_class, own_attributes
from rewriter.values import Known, TupleValue, Value

PLAIN = (bool, int, float, complex, str, bytes, type(None), range)
_HOLDING = (tuple, frozenset, list, set, dict, deque, OrderedDict, defaultdict)
_METHODS_OF = frozenset((*PLAIN, *_HOLDING, types.MappingProxyType, type({}.items())))
_MODULES = frozenset({
    "builtins", "collections", "itertools", "keyword", "math", "operator", "_operator", "string",
    "typing", "warnings",
})  # fmt: skip
"""Modules of Python that hold no state; of those in Python's own code, nothing is entered."""
_BUILTINS = frozenset({
    "abs", "all", "any", "bin", "callable", "chr", "divmod", "format", "hex", "isinstance",
    "issubclass", "len", "max", "min", "oct", "ord", "pow", "repr", "round", "sorted", "sum",
})  # fmt: skip
_LOADS = ("LOAD_FAST", "LOAD_DEREF")
_HIDDEN = frozenset({"__init__", "__name__"})
_OUTSIDE = (type, types.FunctionType, types.ModuleType)


class _NotPure(BaseException):
    """What the call would do next may have or show an effect."""


def called_when_compiling(
    function: Callable[..., object], positional: list[Value], keywords: Mapping[str, Value]
) -> Known | None:
    """Return what a function of known, plain arguments gives; None where it may not be called.

    It may not where a profiler is at work, which could not be put back: cProfile's is no function.
    """
    given = [plain_argument(value) for value in (*positional, *keywords.values())]
    if None in given or not isinstance(function, types.FunctionType) or sys.getprofile():
        return None
    if not _reaches_constants_only(function):
        return None
    arguments = [each[0] for each in given if each is not None]
    named = dict(zip(keywords, arguments[len(positional) :], strict=True))
    sys.setprofile(_watch)
    try:
        result = function(*arguments[: len(positional)], **named)
    except (Exception, _NotPure):
        return None
    finally:
        sys.setprofile(None)
    return Known(result) if _is_data(result, ()) else None


def plain_argument(value: Value) -> tuple[Any] | None:
    """Return the number, text or tuple of such that an argument is, in a tuple."""
    match value:
        case Known(value=known) if _is_constant(known):
            return (known,)
        case TupleValue(kind=kind) if kind is tuple:
            parts = [plain_argument(item) for item in value.items]
            return None if None in parts else (tuple(part[0] for part in parts if part),)
        case _:
            return None


def _is_constant(content: object) -> bool:
    if type(content) in (tuple, frozenset):
        assert isinstance(content, tuple | frozenset)
        return all(map(_is_constant, content))
    return type(content) in PLAIN


def _is_data(content: object, around: tuple[int, ...]) -> bool:
    """Return whether an object is made of plain ones only."""
    if type(content) in PLAIN:
        return True
    if id(content) in around or len(around) > 50:
        return False
    around = (*around, id(content))
    if isinstance(content, dict):
        kept = type(content) in (dict, OrderedDict)
        return kept and _is_data((*content, *content.values()), around)
    if type(content) in _HOLDING:
        assert isinstance(content, tuple | frozenset | list | set)
        return all(_is_data(each, around) for each in content)
    named = isinstance(content, tuple) and hasattr(type(content), "_fields")
    own = (*content,) if named and isinstance(content, tuple) else own_attributes(content)
    return (named or is_plain_class(type(content))) and _is_data((*own,), around)


def _reaches_constants_only(function: types.FunctionType) -> bool:
    """Return whether nothing that a function's code names can change: functions, classes, data."""
    return function.__closure__ is None and all(
        not (own_of_function(each) or each.__closure__)
        if isinstance(each, types.FunctionType)
        else _is_constant(each)
        for _, each in shared_objects(function, None).values()
    )


def _watch(frame: types.FrameType, event: str, called: Any) -> None:
    """Stop a call before it enters what may have effects, or may give other results later."""
    if called is sys.setprofile:
        return
    if event == "call":
        is_users = not is_library(frame.f_globals.get("__name__"))
        if not (is_users and _names_constants(frame) and _changes_own(frame)):
            raise _NotPure
    elif event == "c_call" and not _is_pure(called):
        raise _NotPure


def _is_pure(called: Any) -> bool:
    owner = getattr(called, "__self__", None)
    if isinstance(owner, types.ModuleType):
        if owner.__name__ == "builtins":
            return called.__name__ in _BUILTINS
        return owner.__name__ in _MODULES
    return getattr(called, "__objclass__", type(owner)) in _METHODS_OF


@functools.cache
def _changed_by(code: types.CodeType) -> frozenset[str] | None:
    """Return the variables of whose objects code sets attributes; None where it may do more."""
    before, changed, bound = None, set[str](), set[str]()
    for each in dis.get_instructions(code):
        match each.opname:
            case "STORE_ATTR" if before is not None and before.opname in _LOADS:
                changed.add(before.argval)
            case "STORE_GLOBAL" | "DELETE_GLOBAL" | "STORE_ATTR" | "DELETE_ATTR" | "IMPORT_NAME":
                return None
            case "PUSH_EXC_INFO":  # it would see that the call was stopped
                return None
            case "STORE_DEREF" if each.argval in code.co_freevars:
                return None
            case "STORE_FAST" | "STORE_DEREF" | "DELETE_FAST":
                bound.add(each.argval)
        before = each
    hidden = {name for name in code.co_names if name.startswith("__")}
    return frozenset(changed) if changed.isdisjoint(bound) and hidden <= _HIDDEN else None


def _changes_own(frame: types.FrameType) -> bool:
    """Return whether code changes nothing but objects that the call has made."""
    changed = _changed_by(frame.f_code)
    if not changed:
        return changed is not None
    given = [frame.f_locals.get(name) for name in changed]
    return not any(isinstance(each, _OUTSIDE) or each is None for each in given)


def _names_constants(frame: types.FrameType) -> bool:
    """Return whether what code names of its file and of Python cannot change."""
    table = frame.f_globals
    return all(
        _cannot_change(table[name])
        if name in table
        else name not in vars(builtins)
        or isinstance(getattr(builtins, name), type)
        or name in _BUILTINS
        for name in frame.f_code.co_names
    )


def _cannot_change(content: object) -> bool:
    match content:
        case types.BuiltinFunctionType():
            return _is_pure(content)
        case types.ModuleType():
            return content.__name__ in _MODULES
        case types.FunctionType():
            return True  # told when it is entered
        case type():
            return not is_library(content.__module__) or content.__module__ in _MODULES
        case _:
            return type(content).__module__ == "typing" or _is_constant(content)
