"""Sizes that are known only at run time, as ``dycl.capture.opening`` writes them, in ONNX."""

from collections.abc import Callable
from typing import Any

import torch

import dycl.capture.opening  # noqa: F401 - it registers the operators
from dycl.backends.onnx_graphs.translations.values import Value, op


def translate_size(x: Value, dim: int, factor: int, offset: int, low: int, high: int) -> Value:
    """Translate ``dycl::size``."""
    found = op.Squeeze(op.Shape(x, start=dim, end=dim + 1))
    found = found if offset == 0 else op.Sub(found, op.Constant(value_int=offset))
    return found if factor == 1 else op.Div(found, op.Constant(value_int=factor))


def translate_opened(x: Value, sizes: Any) -> Value:
    """Translate ``dycl::opened``."""
    return op.Identity(x)


OPENING: dict[Callable[..., Any], Callable[..., Any]] = {
    torch.ops.dycl.size.default: translate_size,
    torch.ops.dycl.opened.default: translate_opened,
}
