"""What a dict on the host has for the keys of a kept one.

A module, a class, a member of an enumeration, an element type and a device are no literals, nor
are tuples of them. They are there before the call, and a phase says which keys a dict has in which
order, so the host need not know them: it has the position of the key in their place.
"""

import ast
import enum
from collections.abc import Iterable, Iterator

import torch
from torch import nn

from rewriter.builder import literal_expression

_IN_PLACE = "the key at"
_WITHOUT_LITERAL = (nn.Module, enum.Enum, type, torch.dtype, torch.device)


def host_keys(keys: Iterable[object]) -> list[object]:
    """Return what the host has for the keys of a dict, in order."""
    return [
        (_IN_PLACE, position) if _is_told_by_place(key) else key
        for position, key in enumerate(keys)
    ]


def stored_key(key: object) -> ast.expr | None:
    """Return the literal of a key, None where a dict does not find it by an equal object: NaN."""
    return None if any(map(_is_nan, _parts(key))) else literal_expression(key)


def _is_told_by_place(key: object) -> bool:
    named = any(isinstance(part, _WITHOUT_LITERAL) for part in _parts(key))
    return named and not any(map(_is_nan, _parts(key)))


def _parts(key: object) -> Iterator[object]:
    """Yield a key, or the parts of a tuple and of the tuples in it."""
    if type(key) is not tuple:
        yield key
        return
    for part in key:
        yield from _parts(part)


def _is_nan(part: object) -> bool:
    return isinstance(part, float | complex) and part != part
