"""Whether PyTorch records gradients: what managers and the decorators of functions say."""

import types
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import torch

from rewriter.compiled_functions import compiled_from
from rewriter.source import unwrap

_Way = TypeVar("_Way")


def mode_set(manager: object) -> bool | None:
    """Return whether gradients are recorded under a manager, None where it leaves that as it is."""
    match manager:
        case torch.no_grad():
            return False
        case torch.enable_grad():
            return True
        case torch.inference_mode():
            return not manager.mode
        case torch.set_grad_enabled():
            return bool(manager.mode)
        case _:
            return None


def grad_modes_around(function: types.FunctionType) -> Iterator[bool]:
    """Yield what the decorators around a function say of gradients, outermost first."""
    yield from modes_of(managers_around(function))


def modes_of(managers: Iterable[object]) -> Iterator[bool]:
    """Yield what managers say of gradients, those that say something."""
    yield from (mode for mode in map(mode_set, managers) if mode is not None)


def managers_around(function: types.FunctionType) -> Iterator[object]:
    """Yield the context managers that decorate a function, outermost first.

    Those are meant that ``unwrap`` takes away.
    """
    inner = unwrap(function)
    while function is not inner:
        code = function.__code__
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        if code.co_name == "decorate_context" and "ctx_factory" in cells:
            yield getattr(cells["ctx_factory"].cell_contents, "__self__", None)
        wrapped = compiled_from(function) or getattr(function, "__wrapped__", inner)
        assert isinstance(wrapped, types.FunctionType)
        function = wrapped


def under_modes(
    set_now: list[bool], modes: Iterable[bool], called: Callable[[], Iterable[_Way]]
) -> Iterable[_Way]:
    """Evaluate a call under modes, outermost first; ``set_now`` are those of open managers."""
    around, before = list(modes), list(set_now)
    if not around:
        return called()
    set_now.extend(around)
    try:
        return list(called())
    finally:
        set_now[:] = before
