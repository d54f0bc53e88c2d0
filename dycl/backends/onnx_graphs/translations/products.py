"""Products of matrices that are added to something, which a factor 0 leaves out: NaN, too."""

from math import prod

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.translations.values import Value, axes, is_float, number, op


def addmm(self: Value, mat1: Value, mat2: Value, beta: float = 1.0, alpha: float = 1.0) -> Value:
    """Translate ``addmm``: the runtime's own sum is of floats, and wrong where they are none.

    Its factors have single precision.
    """
    if _is_left_out(self, alpha):
        return _without_product(self, beta, (mat1, 0), (mat2, 1))
    is_some = isinstance(mat1.shape[1], int) and mat1.shape[1] > 0
    if (
        is_float(self)
        and is_some
        and (self.dtype != ir.DataType.DOUBLE or _are_single(alpha, beta))
    ):
        return op.Gemm(mat1, mat2, self, alpha=float(alpha), beta=float(beta))
    return _added(self, op.MatMul(mat1, mat2), beta, alpha)


def _are_single(*factors: float) -> bool:
    """Return whether factors are the same in single precision."""
    with np.errstate(over="ignore"):
        return all(float(np.float32(factor)) == factor for factor in factors)


def addbmm(
    self: Value, batch1: Value, batch2: Value, beta: float = 1.0, alpha: float = 1.0
) -> Value:
    """Translate ``addbmm``."""
    if _is_left_out(self, alpha):
        return _without_product(self, beta, (batch1, 1), (batch2, 2))
    product = op.ReduceSum(op.MatMul(batch1, batch2), axes(0), keepdims=False)
    return _added(self, product, beta, alpha)


def baddbmm(
    self: Value, batch1: Value, batch2: Value, beta: float = 1.0, alpha: float = 1.0
) -> Value:
    """Translate ``baddbmm``: a small product is multiplied by 0, others are left out."""
    if _is_left_out(self, alpha):
        sizes = (batch1.shape[1], batch1.shape[2], batch2.shape[2])
        if not all(isinstance(size, int) for size in sizes):
            raise NotImplementedError("a factor 0 of products whose sizes are known at run time")
        if prod(sizes) >= _SMALL:
            return _without_product(self, beta, (batch1, 0), (batch1, 1), (batch2, 2))
    return _added(self, op.MatMul(batch1, batch2), beta, alpha)


def addmv(self: Value, mat: Value, vec: Value, beta: float = 1.0, alpha: float = 1.0) -> Value:
    """Translate ``addmv``."""
    if _is_left_out(self, alpha):
        return _without_product(self, beta, (mat, 0))
    return _added(self, op.MatMul(mat, vec), beta, alpha)


_SMALL = 400
"""So many multiplications for each matrix, or more, PyTorch leaves to its library."""


def _is_left_out(x: Value, alpha: float) -> bool:
    """Return whether a factor 0 leaves a product out: not in half precision."""
    return alpha == 0 and x.dtype in (ir.DataType.FLOAT, ir.DataType.DOUBLE)


def _without_product(x: Value, beta: float, *dims: tuple[Value, int]) -> Value:
    """Return what a product would be added to, spread over sizes that the product would have."""
    sizes = [op.Shape(of, start=dim, end=dim + 1) for of, dim in dims]
    shape = op.Concat(*sizes, axis=0) if len(sizes) > 1 else sizes[0]
    if beta == 0:
        return op.Expand(number(x, 0.0), shape)
    return op.Expand(x if beta == 1 else op.Mul(x, op.CastLike(beta, x)), shape)


def _added(x: Value, product: Value, beta: float, alpha: float) -> Value:
    scaled = product if alpha == 1 else op.Mul(product, op.CastLike(alpha, x))
    if beta == 0:
        return scaled
    return op.Add(scaled, x if beta == 1 else op.Mul(x, op.CastLike(beta, x)))
