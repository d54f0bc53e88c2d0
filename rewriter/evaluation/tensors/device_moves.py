"""Methods that only name a device: the program is compiled for the CPU, whatever they say."""

from collections.abc import Callable

import torch

from rewriter.evaluation.rendering import known_object
from rewriter.state import State
from rewriter.values import Value


def moves_device(
    state: State, name: str, positional: list[Value], keywords: dict[str, Value]
) -> bool:
    """Return whether ``x.to(...)`` only names a device."""
    if name != "to" or len(positional) + len(keywords) != 1 or set(keywords) - {"device"}:
        return False
    (value,) = (*positional, *keywords.values())
    known = known_object(state, value)
    if known is None:
        return False
    return isinstance(known.value, torch.device) or (
        isinstance(known.value, str | int) and not isinstance(known.value, bool)
    )


def no_device(
    state: State, name: str, positional: list[Value], keywords: dict[str, Value]
) -> Exception | None:
    """Return what PyTorch raises where no device is named, or more than a device is given."""
    known = [known_object(state, value) for value in (*positional, *keywords.values())]
    try:
        for one in known if name != "cpu" else ():
            if one is not None and isinstance(one.value, str | int):
                torch.device(one.value)
        if name == "cpu" and (positional or set(keywords) - {"memory_format"}):
            move: Callable[..., object] = torch.empty(0).cpu
            move(*[None] * len(positional), **dict.fromkeys(keywords))
    except (RuntimeError, TypeError) as error:
        return error
    return None


def is_cuda(state: State, positional: list[Value], keywords: dict[str, Value]) -> bool:
    """Return whether a device is named that is none of the CPU."""
    return any(
        known is not None and not str(known.value).startswith(("cpu", "meta"))
        for known in (known_object(state, value) for value in (*positional, *keywords.values()))
    )
