"""JSON in few bytes that people can read and compare: an entry to a line."""

import json
from collections.abc import Iterator, Mapping

WIDTH = 100
"""Characters up to which anything stands on one line."""

_DEPTH = 3
"""How far parts are laid out on lines of their own: ``graph``, its ``nodes``, each of them."""


def json_text(value: object) -> str:
    """Return a JSON value as text, with no more lines and spaces than tell its entries apart.

    Raises TypeError where a part is no JSON value.
    """
    return "".join(_parts(value, depth=0)) + "\n"


def _parts(value: object, depth: int) -> Iterator[str]:
    flat = _flat(value)
    fits = depth + len(flat) <= WIDTH
    if fits or depth == _DEPTH or not isinstance(value, Mapping | list | tuple):
        yield flat
        return
    opening, closing = "{}" if isinstance(value, Mapping) else "[]"
    margin = " " * (depth + 1)
    names = value if isinstance(value, Mapping) else [None] * len(value)
    items = value.values() if isinstance(value, Mapping) else value
    separator = opening
    for name, item in zip(names, items, strict=True):
        label = "" if name is None else f"{_flat(name)}:"
        yield f"{separator}\n{margin}{label}"
        yield from _parts(item, depth + 1)
        separator = ","
    yield f"\n{' ' * depth}{closing}"


def _flat(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
