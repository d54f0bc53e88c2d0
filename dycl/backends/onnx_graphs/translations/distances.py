"""Distances between all rows of two matrices, which the exporter does not know."""

import math

from dycl.backends.onnx_graphs.translations.values import Value, number, op


def cdist(x1: Value, x2: Value, p: float, compute_mode: int | None = None) -> Value:
    """Translate ``cdist``: the ``p``-norm of the difference of every two rows."""
    del compute_mode  # which formula PyTorch takes, for the same distances
    apart = op.Abs(op.Sub(op.Unsqueeze(x1, [-2]), op.Unsqueeze(x2, [-3])))
    if p == 0:
        differs = op.CastLike(op.Not(op.Equal(apart, number(x1, 0.0))), x1)
        return op.ReduceSum(op.Where(op.IsNaN(apart), apart, differs), [-1], keepdims=0)
    if p == 1:
        return op.ReduceSum(apart, [-1], keepdims=0)
    if p == 2:
        return op.Sqrt(op.ReduceSum(op.Mul(apart, apart), [-1], keepdims=0))
    if math.isinf(p):
        # PyTorch's maximum leaves NaN out, and is 0 where nothing else is there
        known = op.Where(op.IsNaN(apart), number(x1, 0.0), apart)
        return op.ReduceMax(known, [-1], keepdims=0)
    total = op.ReduceSum(op.Pow(apart, number(x1, p)), [-1], keepdims=0)
    return op.Pow(total, number(x1, 1 / p))
