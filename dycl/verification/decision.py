"""The decision in an output: what a user acts on, compared for the inconsistent rate.

Without a ``decide`` function: the argmax (along the last dimension) of the first float
tensor, every integer, boolean and string as it is, and the containers around them. Further
floats decide nothing; they are compared as numbers.
"""

import copy
from collections import deque
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from dycl.looking_through import is_looked_through, looked_through
from dycl.verification.comparison import as_array, attributes_of, is_array
from rewriter.stand_ins import text_of

Decide: TypeAlias = Callable[[Any], object]


def default_decision(outputs: object) -> object:
    """Return the decision of an output, as a value that compares with ``==``."""
    return _Decider().decide(outputs)


class _Decider:
    """Walks an output once, and knows whether its first float tensor has passed."""

    def __init__(self) -> None:
        self.seen_float = False

    def decide(self, value: object) -> object:
        if is_array(value):
            return self._decide_array(value)
        match value:
            case Enum():
                return _key(value)
            case Mapping():
                return {_key(key): self.decide(item) for key, item in value.items()}
            case list() | tuple() | deque():
                return tuple(self.decide(item) for item in value)
            case _ if is_looked_through(value):
                return tuple(self.decide(item) for item in looked_through(value))
            case float():
                return "a float"
            case _ if (text := text_of(value)) is not None:
                return text
            case _ if (attributes := attributes_of(value)) is not None:
                return self.decide(attributes)
            case _:
                return value

    def _decide_array(self, value: object) -> object:
        array = as_array(value)
        if array.dtype.kind not in "fc":
            return array.tolist()
        if self.seen_float or array.ndim == 0 or array.size == 0:
            return "floats"
        self.seen_float = True
        return np.argmax(array.real, axis=-1).tolist()


def _key(value: object) -> object:
    """Return what a value is told apart by: a package declares enumerations of its own."""
    return (type(value).__name__, value.name) if isinstance(value, Enum) else value


def decisions_equal(left: object, right: object) -> bool:
    """Compare two decisions, which a user's ``decide`` may return as tensors or arrays."""
    return _plain(left) == _plain(right)


def like_original(host: object, original: object) -> object:
    """Give a host output the tensor types of the original, for a user's ``decide``."""
    if isinstance(original, Tensor) and isinstance(host, np.ndarray | np.generic):
        return torch.from_numpy(np.array(as_array(host))).to(original.dtype)
    if isinstance(host, str) and host == text_of(original):
        return original
    if isinstance(original, Enum) and isinstance(host, Enum):
        return type(original).__members__.get(host.name, host)
    if isinstance(original, Mapping) and isinstance(host, Mapping):
        keys = {_key(key): key for key in original}
        pairs = [(keys.get(_key(key), key), item) for key, item in host.items()]
        return {k: like_original(v, original[k]) if k in original else v for k, v in pairs}
    if isinstance(original, list | tuple) and isinstance(host, list | tuple):
        known = [like_original(h, o) for h, o in zip(host, original, strict=False)]
        items = [*known, *host[len(known) :]]
        if isinstance(host, list):
            return items
        return type(host)(*items) if hasattr(host, "_fields") else tuple(items)
    return _object_like(host, original)


def _object_like(host: object, original: object) -> object:
    before, after = attributes_of(original), attributes_of(host)
    if before is None or after is None:
        return host
    made = copy.copy(host)
    for name, value in after.items():
        # Not setattr: the class may be frozen.
        object.__setattr__(made, name, like_original(value, before.get(name)))
    return made


def _plain(value: object) -> object:
    if is_array(value):
        return as_array(value).tolist()
    match value:
        case Mapping():
            return {key: _plain(item) for key, item in value.items()}
        case list() | tuple():
            return tuple(_plain(item) for item in value)
        case _:
            return value
