"""The tensors among the operands of an operation, wherever they stand in containers."""

from collections.abc import Iterator
from typing import Any

import torch

from rewriter.flattening import Flattening, Roots
from rewriter.state import State
from rewriter.values import Known, TensorValue, Value


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
        if type(content) is dict:
            return {key: self(item) for key, item in content.items()}
        return content


def _leaves(state: State, values: tuple[Value, ...]) -> Iterator[Value]:
    yield from Flattening(state, Roots(frames=(), extra=values)).run().leaves


def tensors_of(state: State, values: tuple[Value, ...]) -> list[TensorValue]:
    """Return the run-time tensors among values."""
    return [leaf for leaf in _leaves(state, values) if isinstance(leaf, TensorValue)]


def known_tensors(state: State, values: tuple[Value, ...]) -> list[Known]:
    """Return the tensors and numbers known at compile time among values."""
    return [leaf for leaf in _leaves(state, values) if isinstance(leaf, Known)]
