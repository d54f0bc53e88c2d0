"""What Python raises for a call whose arguments do not fit the function's parameters."""

import functools
import inspect
import itertools
import types
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sized

from rewriter.values import Value

_EMPTY = inspect.Parameter.empty


def misfit(
    name: str, signature: inspect.Signature, positional: Sized, keywords: Iterable[str]
) -> TypeError:
    """Return the error of a call in Python's words: a function of these parameters is called."""
    parameters = [
        parameter.replace(
            annotation=_EMPTY, default=_EMPTY if parameter.default is _EMPTY else None
        )
        for parameter in signature.parameters.values()
    ]
    bare = inspect.Signature(parameters)
    function = eval(f"lambda {str(bare)[1:-1]}: None", {})
    function.__qualname__ = name
    try:
        function(*[None] * len(positional), **dict.fromkeys(keywords))
    except TypeError as error:
        return error
    raise ValueError(f"this call of {name}() fits")


def misfit_of_class(
    maker: Callable[..., object], positional: Iterable[object], keywords: Iterable[str]
) -> TypeError:
    """Return the error of making an instance: ``maker`` is its ``__init__`` or ``__new__``."""
    arguments = (maker, *positional)
    return misfit(maker.__qualname__, inspect.signature(maker), arguments, keywords)


def given_twice(called: tuple[str, str], keyword: object) -> TypeError:
    """Return the error of a call that gives a keyword argument twice: ``f(a=1, **{"a": 2})``."""
    module, name = called
    owner = f"{module}." if module not in ("", "builtins") else ""
    return TypeError(f"{owner}{name}() got multiple values for keyword argument '{keyword}'")


_UNSIGNED: dict[object, Callable[..., None]] = {
    bool: lambda x=None, /: None,
    int: lambda x=None, /, base=None: None,
    str: lambda object=None, encoding=None, errors=None: None,
    OrderedDict: lambda items=None, /, **named: None,
    set: lambda items=None, /: None,
    frozenset: lambda items=None, /: None,
    zip: lambda *items, strict=None: None,
    iter: lambda items, sentinel=None, /: None,
    next: lambda items, default=None, /: None,
    range: lambda start, stop=None, step=None, /: None,
    map: lambda function, items, /, *more: None,
    filter: lambda function, items, /: None,
    min: lambda first, /, *more, key=None, default=None: None,
    max: lambda first, /, *more, key=None, default=None: None,
    getattr: lambda owner, name, default=None, /: None,
    functools.reduce: lambda function, items, first=None, /: None,
    itertools.chain: lambda *items: None,
    itertools.islice: lambda items, start, stop=None, step=None, /: None,
    itertools.product: lambda *items, repeat=None: None,
    itertools.repeat: lambda object, times=None: None,
    itertools.zip_longest: lambda *items, fillvalue=None: None,
}
"""Parameters of functions that do not tell them."""


def misfit_of_library(
    function: Callable[..., object], positional: Sized, keywords: Iterable[str]
) -> TypeError | None:
    """Return the error of a call of a library's function, None where its arguments fit.

    Only functions whose parameters are known are looked at.
    """
    signature = _signature(function)
    if signature is None:
        return None
    arguments, named = [None] * len(positional), dict.fromkeys(keywords)
    try:
        signature.bind(*arguments, **named)
    except TypeError:
        try:
            function(*arguments, **named)
        except TypeError as error:
            return error
    return None


def first_by_position(
    function: Callable[..., object], positional: list[Value], keywords: dict[str, Value]
) -> tuple[list[Value], dict[str, Value]]:
    """Return the arguments of a function of Python's, of which the first may be given by name.

    So that its rule finds it: ``enumerate(iterable=rows)``, ``round(number=x)``.
    """
    of_python = getattr(function, "__module__", None) in _OF_PYTHON
    signature = _signature(function) if of_python and keywords and not positional else None
    first = next(iter(signature.parameters.values()), None) if signature is not None else None
    if first is None or first.kind is not first.POSITIONAL_OR_KEYWORD or first.name not in keywords:
        return positional, keywords
    others = {name: value for name, value in keywords.items() if name != first.name}
    return [keywords[first.name]], others


_OF_PYTHON = (
    *("builtins", "_functools", "functools", "itertools", "_operator", "collections"),
    *("_heapq", "heapq", "_bisect", "math"),
)


@functools.cache
def _signature(function: Callable[..., object]) -> inspect.Signature | None:
    is_of_class = isinstance(function, types.BuiltinMethodType) and isinstance(
        function.__self__, type
    )
    owner = function.__self__ if is_of_class else function  # type: ignore[attr-defined]
    module = str(getattr(owner, "__module__", None))
    if isinstance(function, types.FunctionType) and not module.startswith("rewriter."):
        return inspect.signature(function)
    if module not in _OF_PYTHON:
        return None
    try:
        return inspect.signature(_UNSIGNED.get(function, function))
    except ValueError:
        return None
