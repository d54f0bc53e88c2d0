"""``torch.jit.isinstance``: whether a value, and all that it holds, is of a type."""

import collections.abc
import types
import typing

from torch import _jit_internal


def is_of_type(obj, target_type):
    """Return whether an object is of a type, or of one of a tuple of types."""
    if isinstance(target_type, tuple):
        return any(is_of_type(obj, each) for each in target_type)
    if isinstance(target_type, collections.abc.Container):
        raise RuntimeError(
            "The second argument to `torch.jit.isinstance` must be a type or a tuple of types"
        )
    if typing.get_origin(target_type):
        return _holds(obj, target_type)
    return isinstance(obj, target_type)


def _is(obj, kind):
    return _holds(obj, kind) if typing.get_origin(kind) else isinstance(obj, kind)


def _holds(obj, kind):
    _jit_internal.check_args_exist(kind)
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is list:
        return isinstance(obj, list) and all(_is(item, inner[0]) for item in obj)
    if origin is dict:
        return isinstance(obj, dict) and all(
            isinstance(key, inner[0]) and _is(item, inner[1]) for key, item in obj.items()
        )
    if origin is tuple:
        return (
            isinstance(obj, tuple)
            and len(obj) == len(inner)
            and all(_is(item, each) for item, each in zip(obj, inner, strict=True))
        )
    return (origin is typing.Union or origin is types.UnionType) and _is_any(obj, inner)


def _is_any(obj, kinds):
    """Return whether an object is of a type of a union: PyTorch looks into the first container."""
    if obj is None:
        return True
    for kind in kinds:
        if typing.get_origin(kind):
            return _holds(obj, kind)
        if isinstance(obj, kind):
            return True
    return False
