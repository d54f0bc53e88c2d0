"""JSON as people write it: what fits on a line stands on one."""

import json
import textwrap
from collections.abc import Iterator, Mapping

WIDTH = 100
"""Characters that a line should not have more of."""


def json_text(value: object) -> str:
    """Return a JSON value as text; objects and arrays take more than a line only where they must.

    Raises TypeError where a part is no JSON value.
    """
    return "".join(_parts(value, indent=0, used=0)) + "\n"


def _parts(value: object, indent: int, used: int) -> Iterator[str]:
    """Yield the text of a value before which ``used`` characters stand on its line."""
    flat = json.dumps(value, ensure_ascii=False)
    if used + len(flat) + len(",") <= WIDTH or not isinstance(value, Mapping | list | tuple):
        yield flat
        return
    if all(isinstance(item, int | float) for item in value):
        yield _filled([json.dumps(item) for item in value], indent)
        return
    opening, closing = "{}" if isinstance(value, Mapping) else "[]"
    margin = " " * (indent + 1)
    names = value if isinstance(value, Mapping) else [None] * len(value)
    items = value.values() if isinstance(value, Mapping) else value
    separator = opening
    for name, item in zip(names, items, strict=True):
        label = "" if name is None else f"{json.dumps(name, ensure_ascii=False)}: "
        yield f"{separator}\n{margin}{label}"
        yield from _parts(item, indent + 1, len(margin) + len(label))
        separator = ","
    yield f"\n{' ' * indent}{closing}"


def _filled(numbers: list[str], indent: int) -> str:
    """Return a list of numbers, as many on a line as fit."""
    margin = " " * (indent + 1)
    lines = textwrap.fill(
        ", ".join(numbers), WIDTH, initial_indent=margin, subsequent_indent=margin
    )
    return f"[\n{lines}\n{' ' * indent}]"
