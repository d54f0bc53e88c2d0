"""The baseline: what ``torch.jit.trace`` makes of the same entry point.

A trace takes tensors in and gives tensors out. Everything else in the arguments and in the
output is what it was in the one call that was traced, as tracing leaves it.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from dycl.drawing_inputs import Inputs
from dycl.user_inputs import call_entry, clone_inputs

_TRACE: Any = torch.jit.trace
"""Untyped in PyTorch."""


class TracingFailed(Exception):
    """``torch.jit.trace`` refuses the program; the message says why."""


class _TensorsOnly(nn.Module):
    """The entry point as a function of tensors, with the rest of its arguments frozen."""

    def __init__(self, entry: Callable[..., object], example: Inputs) -> None:
        super().__init__()
        self.entry = entry
        owner = getattr(entry, "__self__", entry)
        # a trace must find the parameters in a module of its own
        self.owner = owner if isinstance(owner, nn.Module) else None
        self.example = example
        self.output: object = None

    def forward(self, *tensors: Tensor) -> tuple[Tensor, ...]:
        arguments = replace_tensors(self.example, iter(tensors))
        assert isinstance(arguments, tuple | dict)
        self.output = call_entry(self.entry, arguments)
        return tuple(tensors_in(self.output))


def trace_entry(entry: Callable[..., object], example: Inputs) -> Callable[..., object]:
    """Return the traced entry point; it takes the same arguments as the original."""
    module = _TensorsOnly(entry, example)
    tensors = tuple(tensors_in(clone_inputs(example)))
    if not tensors:
        raise TracingFailed("there is no tensor among the arguments")
    with warnings.catch_warnings():
        # each frozen branch and number warns; the report counts what comes of it instead
        warnings.simplefilter("ignore")
        try:
            traced = _TRACE(module, tensors, check_trace=False)
        except Exception as error:
            raise TracingFailed(f"{type(error).__name__}: {_first_line(error)}") from error
    frozen = module.output

    def call(*args: object, **kwargs: object) -> object:
        outputs = traced(*tensors_in(kwargs or args))
        return replace_tensors(frozen, iter(outputs))

    return call


def tensors_in(value: object) -> Iterator[Tensor]:
    """Yield the tensors in containers of any depth, in order."""
    match value:
        case Tensor():
            yield value
        case list() | tuple():
            for item in value:
                yield from tensors_in(item)
        case dict():
            for item in value.values():
                yield from tensors_in(item)
        case _:
            pass


def replace_tensors(value: object, tensors: Iterator[Tensor]) -> object:
    """Return the value with other tensors in the places of its own, in order."""
    match value:
        case Tensor():
            return next(tensors)
        case list():
            return [replace_tensors(item, tensors) for item in value]
        case tuple():
            items = tuple(replace_tensors(item, tensors) for item in value)
            return _named(value, items) if hasattr(value, "_fields") else items
        case dict():
            return {key: replace_tensors(item, tensors) for key, item in value.items()}
        case _:
            return value


def _named(like: Any, items: tuple[object, ...]) -> object:
    """Return a named tuple of the same type."""
    return type(like)(*items)


def _first_line(error: Exception) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), "")
