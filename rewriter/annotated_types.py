"""Annotations as type checkers read them, described by tuples that ``prelude`` walks.

A name first, then what belongs to it: ``("items", list, ("class", int))`` is ``list[int]``.
"""

import collections.abc
import re
import types
import typing
from collections.abc import Callable
from typing import Any, TypeAlias

import torch

Described: TypeAlias = tuple[Any, ...]

_ANY: Described = ("any",)
_ITEMS = (
    list, set, frozenset, collections.abc.Sequence, collections.abc.MutableSequence,
    collections.abc.Set, collections.abc.Collection,
)  # fmt: skip
_MAPPINGS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
_BY_CLASS = (
    collections.abc.Iterable, collections.abc.Iterator, collections.abc.Generator,
    collections.abc.Hashable,
)  # fmt: skip
"""What is told by its class alone: to look within would use it up."""
_DTYPES = frozenset(
    str(each).rpartition(".")[2] for each in vars(torch).values() if isinstance(each, torch.dtype)
)


class Undescribed(Exception):
    """An annotation that is not known to say what."""


def described(hint: Any, *, tower: bool = False) -> Described:
    """Return what an annotation says; ``tower``: whether an integer is taken for a float.

    Raises Undescribed.
    """
    if hint is None or hint is types.NoneType:
        return ("none",)
    if hint in (Any, object):
        return _ANY
    if isinstance(hint, typing.NewType):
        return described(hint.__supertype__, tower=tower)
    if isinstance(hint, typing.TypeVar):
        return _variable(hint, tower)
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is not None:
        return _parametrised(hint, origin, inner, tower)
    if hint in (Callable, typing.Callable):
        return ("callable",)
    if hasattr(hint, "index_variadic") and hasattr(hint, "dims"):
        return _array(hint)
    if not isinstance(hint, type) or getattr(hint, "_is_protocol", False):
        raise Undescribed(str(hint))
    if tower and hint in (float, complex):
        return ("class", (int, float) if hint is float else (int, float, complex))
    return ("class", hint)


def _variable(hint: typing.TypeVar, tower: bool) -> Described:
    choices = hint.__constraints__
    if choices:
        return ("union", tuple(described(each, tower=tower) for each in choices))
    return _ANY if hint.__bound__ is None else described(hint.__bound__, tower=tower)


def _parametrised(hint: Any, origin: Any, inner: tuple[Any, ...], tower: bool) -> Described:
    def part(each: Any) -> Described:
        return described(each, tower=tower)

    if origin in (typing.Union, types.UnionType):
        return ("union", tuple(map(part, inner)))
    if origin is typing.Literal:
        return ("literal", inner)
    if origin is collections.abc.Callable:
        return ("callable",)
    if origin is tuple:
        if len(inner) == 2 and inner[1] is ...:
            return ("items", tuple, part(inner[0]))
        return ("row", tuple, tuple(map(part, inner)))
    if origin in _ITEMS:
        return ("items", origin, part(inner[0]))
    if origin in _MAPPINGS:
        return ("mapping", origin, part(inner[0]), part(inner[1]))
    if origin in _BY_CLASS:
        return ("class", origin)
    raise Undescribed(str(hint))


def _array(hint: Any) -> Described:
    """Describe an array type of ``jaxtyping``: class, names of types, dimensions."""
    kind = hint.array_type
    kind = object if kind is Any else kind
    if not isinstance(kind, type) or not issubclass(kind, torch.Tensor):
        raise Undescribed(str(hint))
    dtypes = _names_of_types(hint.dtypes) if isinstance(hint.dtypes, list | tuple) else None
    at = hint.index_variadic
    if at is None:
        return ("array", kind, dtypes, tuple(map(_dimension, hint.dims)), None, ())
    before, several, after = hint.dims[:at], hint.dims[at], hint.dims[at + 1 :]
    name = getattr(several, "name", "")
    if name and (several.broadcastable or several.treepath):
        raise Undescribed(hint.dim_str)
    return ("array", kind, dtypes, tuple(map(_dimension, before)), name,
            tuple(map(_dimension, after)))  # fmt: skip


def _dimension(dimension: Any) -> tuple[str | int | None, bool]:
    """Return the name or size of a dimension, and whether it may be one instead."""
    if not hasattr(dimension, "broadcastable"):
        return (None, False)
    told = getattr(dimension, "size", getattr(dimension, "name", None))
    if told is None or getattr(dimension, "treepath", False):
        raise Undescribed(str(dimension))
    return (told, dimension.broadcastable)


def _names_of_types(named: list[Any] | tuple[Any, ...]) -> frozenset[str]:
    patterns = [each for each in named if isinstance(each, re.Pattern)]
    matched = {name for name in _DTYPES if any(each.match(name) for each in patterns)}
    return frozenset({each for each in named if isinstance(each, str)} | matched)


def names_sizes(told: object) -> bool:
    """Return whether an array type is part of a description that gives dimensions a name."""
    if not isinstance(told, tuple):
        return False
    if told[:1] != ("array",):
        return any(map(names_sizes, told))
    _, _, _, before, several, after = told
    return bool(several) or any(isinstance(name, str) for name, _ in (*before, *after))
