"""What a dict on the host has for the keys of a kept one.

A module, a class and a member of an enumeration are no literals. They are there before the
call, and a phase says which keys a dict has in which order, so the host need not know them: it
has the position of the key in their place.
"""

import ast
import enum
from collections.abc import Iterable

from torch import nn

from rewriter.builder import literal_expression

_IN_PLACE = "the key at"


def host_keys(keys: Iterable[object]) -> list[object]:
    """Return what the host has for the keys of a dict, in order."""
    return [
        (_IN_PLACE, position) if isinstance(key, nn.Module | enum.Enum | type) else key
        for position, key in enumerate(keys)
    ]


def stored_key(key: object) -> ast.expr | None:
    """Return the literal of a key, None where a dict does not find it by an equal object: NaN."""
    parts = [key]
    while parts:
        part = parts.pop()
        if isinstance(part, float | complex) and part != part:
            return None
        parts += part if isinstance(part, tuple) else ()
    return literal_expression(key)
