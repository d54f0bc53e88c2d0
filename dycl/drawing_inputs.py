"""Draw input tensors: from SPECs, or of the same kind as example inputs."""

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import torch
from torch import Tensor
from torch.export import Dim

from dycl.errors import UserError
from dycl.input_spec import (
    ConstantRequest,
    InputRequest,
    NamedRequest,
    SymbolicDimension,
    TensorRequest,
)
from dycl.signature import bind_names

Inputs: TypeAlias = tuple[object, ...] | dict[str, object]
"""Arguments of one call: positional ones, or all by name."""

DynamicShapes: TypeAlias = dict[str, dict[int, object]]
"""As ``torch.export`` takes them: argument -> dimension -> ``Dim``."""

UNBOUNDED_SPREAD = 8
"""Sizes drawn for a dimension without an upper bound: so many from the lowest on."""


def draw_inputs(
    requests: Sequence[NamedRequest], entry: Callable[..., object], seed: int
) -> Inputs:
    """Return one set of arguments that fits the SPECs.

    Floats are normal, integers 0 or 1 (an index of any table), booleans even. Seed 0 takes
    the middle of each symbolic dimension, other seeds any size within the bounds.
    """
    generator = torch.Generator().manual_seed(seed)
    sizes: dict[str, int] = {}
    for request in requests:
        _choose_sizes(request.request, sizes, seed, generator)
    values = [(r.name, _draw(r.request, sizes, generator)) for r in requests]
    if all(name is None for name, _ in values):
        return tuple(value for _, value in values)
    return bind_names(entry, values)


def dynamic_shapes(
    requests: Sequence[NamedRequest], entry: Callable[..., object]
) -> DynamicShapes | None:
    """Return the symbolic dimensions of the SPECs, None without any."""
    named = bind_names(entry, [(r.name, r.request) for r in requests])
    dims: dict[str, object] = {}
    shapes: DynamicShapes = {}
    for name, request in named.items():
        if not isinstance(request, TensorRequest):
            continue
        for index, dimension in enumerate(request.shape):
            if isinstance(dimension, SymbolicDimension):
                dim = dims.setdefault(dimension.name, _dim(dimension))
                shapes.setdefault(name, {})[index] = dim
    return shapes or None


def draw_like(example: Inputs, seed: int) -> Inputs:
    """Return arguments of the same types and shapes as the example, with other content.

    Floats get the example's mean and spread, integers and booleans are drawn from the values
    that occur in the example. What is not a tensor stays.
    """
    generator = torch.Generator().manual_seed(seed)
    if isinstance(example, dict):
        return {name: _like(value, generator) for name, value in example.items()}
    return tuple(_like(value, generator) for value in example)


def _dim(dimension: SymbolicDimension) -> object:
    return Dim(dimension.name, min=dimension.low, max=dimension.high)


def _choose_sizes(
    request: InputRequest, sizes: dict[str, int], seed: int, generator: torch.Generator
) -> None:
    if not isinstance(request, TensorRequest):
        return
    for dimension in request.shape:
        if isinstance(dimension, SymbolicDimension) and dimension.name not in sizes:
            high = dimension.high or dimension.low + UNBOUNDED_SPREAD
            drawn = int(torch.randint(dimension.low, high + 1, (), generator=generator))
            sizes[dimension.name] = drawn if seed else (dimension.low + high + 1) // 2


def _draw(request: InputRequest, sizes: dict[str, int], generator: torch.Generator) -> object:
    match request:
        case ConstantRequest():
            return request.value
        case TensorRequest():
            shape = [d if isinstance(d, int) else sizes[d.name] for d in request.shape]
            dtype = _torch_dtype(request.dtype)
            if dtype.is_floating_point or dtype.is_complex:
                return torch.randn(shape, generator=generator, dtype=dtype)
            return torch.randint(0, 2, shape, generator=generator).to(dtype)


def _torch_dtype(name: str) -> torch.dtype:
    dtype = getattr(torch, name)
    if not isinstance(dtype, torch.dtype):
        raise UserError(f"PyTorch has no element type {name!r}")
    return dtype


def tensor_like(example: Tensor, shape: Sequence[int], generator: torch.Generator) -> Tensor:
    """Return a tensor of a shape with the example's element type and kind of content."""
    if example.numel() == 0:
        return torch.zeros(list(shape), dtype=example.dtype)
    if example.is_floating_point():
        noise = torch.randn(list(shape), generator=generator, dtype=torch.float32)
        spread = example.float().std(correction=0).item() or 1.0
        return (noise * spread + example.float().mean().item()).to(example.dtype)
    count = math.prod(shape)
    chosen = torch.randint(example.numel(), (count,), generator=generator)
    return example.flatten()[chosen].reshape(list(shape))


def _like(value: object, generator: torch.Generator) -> object:
    match value:
        case Tensor():
            return tensor_like(value, value.shape, generator)
        case list():
            return [_like(item, generator) for item in value]
        case tuple():
            return tuple(_like(item, generator) for item in value)
        case dict():
            return {key: _like(item, generator) for key, item in value.items()}
        case _:
            return value
