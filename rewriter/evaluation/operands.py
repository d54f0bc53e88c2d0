"""The tensors among the operands of an operation, wherever they stand in containers."""

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import torch

from rewriter.flattening import SCALAR_TYPES, Flattening, Roots
from rewriter.state import State
from rewriter.values import Known, ScalarValue, TensorValue, Value


class RealTensors:
    """Puts real tensors in place of the fake ones of constants."""

    def __init__(self, real: dict[int, torch.Tensor | None]) -> None:
        self.real = real

    def __call__(self, content: Any) -> Any:
        """Return the content with real tensors."""
        if isinstance(content, torch.Tensor):
            found = self.real.get(id(content))
            return content if found is None else found
        if type(content) is list:
            return [self(item) for item in content]
        if type(content) is tuple:
            return tuple(self(item) for item in content)
        if type(content) in (dict, OrderedDict):
            return type(content)((key, self(item)) for key, item in content.items())
        return content


def _leaves(state: State, values: tuple[Value, ...]) -> Iterator[Value]:
    if all(map(_is_leaf, values)):
        yield from (state.current(v) if isinstance(v, TensorValue) else v for v in values)
        return
    yield from Flattening(state, Roots(frames=(), extra=values)).run().leaves


def _is_leaf(value: Value) -> bool:
    """Return whether a value is one without a look into it."""
    if isinstance(value, Known):
        return type(value.value) in SCALAR_TYPES
    return isinstance(value, TensorValue | ScalarValue)


def tensors_of(state: State, values: tuple[Value, ...]) -> list[TensorValue]:
    """Return the run-time tensors among values."""
    return [leaf for leaf in _leaves(state, values) if isinstance(leaf, TensorValue)]


def known_tensors(state: State, values: tuple[Value, ...]) -> list[Known]:
    """Return the tensors and numbers known at compile time among values."""
    return [leaf for leaf in _leaves(state, values) if isinstance(leaf, Known)]
