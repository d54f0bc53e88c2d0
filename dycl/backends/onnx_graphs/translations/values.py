"""Values of the exporter's graph, and constants that fit them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnxscript import ir, opset18

FLOATS: dict[Any, type[np.floating[Any]]] = {
    ir.DataType.FLOAT16: np.float16,
    ir.DataType.FLOAT: np.float32,
    ir.DataType.DOUBLE: np.float64,
}

Value = Any
"""A symbolic tensor of the exporter, which has no public type."""

op: Any = opset18
"""The operators; their own types know constants and whole models only."""


def is_float(x: Value) -> bool:
    """Return whether a value has elements that can be NaN."""
    return x.dtype in FLOATS


def number(x: Value, value: float) -> Value:
    """Return a constant of the element type of ``x``."""
    return op.Constant(value=ir.tensor(np.array(value, dtype=FLOATS[x.dtype])))


def integer(value: int) -> Value:
    """Return an int64 scalar."""
    return op.Constant(value=ir.tensor(np.array(value, dtype=np.int64)))


def size_of(x: Value, dim: int) -> Value:
    """Return a size as an int64 scalar: a constant where it is known."""
    known = x.shape[dim]
    if isinstance(known, int):
        return integer(known)
    return op.Squeeze(op.Gather(op.Shape(x), op.Constant(value_ints=[dim]), axis=0))


def axes(dims: Sequence[int] | int | None) -> Value:
    """Return dimensions as an operator takes them; None stands for all."""
    if dims is None:
        return None
    found = [dims] if isinstance(dims, int) else list(dims)
    return op.Constant(value_ints=found) if found else None


def flat(x: Value) -> Value:
    """Return a value with one dimension."""
    return op.Reshape(x, op.Constant(value_ints=[-1]))
