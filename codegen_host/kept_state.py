"""What a model keeps from one call to the next, as lines of the generated module."""

from collections.abc import Callable, Sequence
from functools import partial

import torch

from rewriter.program import STATE, KeptState

STATE_NAMES = ("reset", "state")
"""What the module offers where something is kept."""


def state_lines(
    state: KeptState | None, array_text: Callable[[str, torch.Tensor], str]
) -> list[str]:
    """Return the lines that make the state.

    ``array_text`` writes an array as an expression; it is told what the array is kept as.
    """
    if state is None:
        return []
    return [
        "# Kept from one call to the next; reset() brings back what was there at compile time.",
        f"{STATE} = _package.keep({{",
        *(
            f"    {name!r}: {_text(content, partial(array_text, name))},"
            for name, content in state.items()
        ),
        "})",
        f"state, reset = {STATE}, _package.reset",
    ]


def state_imports(lines: Sequence[str]) -> set[str]:
    """Return the imports that the lines of a state need."""
    return {"import collections"} if any("collections." in line for line in lines) else set()


def _text(content: object, array_text: Callable[[torch.Tensor], str]) -> str:
    match content:
        case torch.Tensor():
            return array_text(content)
        case list():
            return f"[{_listed(content, array_text)}]"
        case tuple():
            comma = "," if len(content) == 1 else ""
            return f"({_listed(content, array_text)}{comma})"
        case dict():
            pairs = (f"{key!r}: {_text(item, array_text)}" for key, item in content.items())
            display = f"{{{', '.join(pairs)}}}"
            kind = type(content).__name__
            return display if kind == "dict" else f"collections.{kind}({display})"
        case set() if not content:
            return "set()"
        case set():
            return f"{{{', '.join(sorted(map(repr, content)))}}}"
        case float():
            text = repr(content)
            return f"float({text!r})" if text in ("inf", "-inf", "nan") else text
        case _:
            return repr(content)


def _listed(items: Sequence[object], array_text: Callable[[torch.Tensor], str]) -> str:
    return ", ".join(_text(item, array_text) for item in items)
