"""Draw inputs like an example, but of other sizes where ``dynamic_shapes`` lets these vary."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.export import Dim

from dycl.drawing_inputs import UNBOUNDED_SPREAD, Inputs, tensor_like
from dycl.signature import parameter_names

_FIXED = (None, Dim.STATIC)
_FREE = (Dim.AUTO, Dim.DYNAMIC)


def draw_varying(
    example: Inputs, shapes: object, entry: Callable[..., object], seed: int
) -> Inputs:
    """Return arguments like the example's; a size with a name is the same everywhere."""
    drawing = _Drawing(torch.Generator().manual_seed(seed))
    if isinstance(example, dict):
        parts = shapes if isinstance(shapes, Mapping) else {}
        return {name: drawing.like(value, parts.get(name)) for name, value in example.items()}
    names = [*parameter_names(entry), *[""] * len(example)]
    return tuple(
        drawing.like(value, shapes.get(name) if isinstance(shapes, Mapping) else _at(shapes, i))
        for i, (value, name) in enumerate(zip(example, names, strict=False))
    )


class _Drawing:
    """One set of arguments in the making."""

    def __init__(self, generator: torch.Generator) -> None:
        self._generator = generator
        self._sizes: dict[str, int] = {}

    def like(self, value: object, spec: object) -> object:
        """Return a value like another; ``spec`` says which of its sizes vary."""
        match value:
            case Tensor():
                shape = [self._size(_at(spec, i), size) for i, size in enumerate(value.shape)]
                return tensor_like(value, shape, self._generator)
            case list():
                return [self.like(item, _at(spec, i)) for i, item in enumerate(value)]
            case tuple():
                return tuple(self.like(item, _at(spec, i)) for i, item in enumerate(value))
            case dict():
                return {key: self.like(item, _at(spec, key)) for key, item in value.items()}
            case _:
                return value

    def _size(self, dim: Any, example: int) -> int:
        if dim in _FIXED or isinstance(dim, int):
            return example
        if dim in _FREE:
            return self._draw(0, None)
        if hasattr(dim, "root"):
            return int(dim.fn(self._named(dim.root)))
        return self._named(Dim(dim) if isinstance(dim, str) else dim)

    def _named(self, dim: Any) -> int:
        if dim.__name__ not in self._sizes:
            high = int(dim.max) if isinstance(dim.max, int) else None
            self._sizes[dim.__name__] = self._draw(int(dim.min), high)
        return self._sizes[dim.__name__]

    def _draw(self, low: int, high: int | None) -> int:
        last = low + UNBOUNDED_SPREAD if high is None else high
        return int(torch.randint(low, last + 1, (), generator=self._generator))


def _at(spec: Any, key: Any) -> Any:
    """Return the part of a spec for an item; None where it says nothing about it."""
    if isinstance(spec, Mapping):
        return spec.get(key)
    if isinstance(spec, list | tuple) and isinstance(key, int) and key < len(spec):
        return spec[key]
    return None
