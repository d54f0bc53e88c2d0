"""Products of matrices that are added to something, which a factor 0 leaves out: NaN, too."""

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.translations.values import Value, axes, is_float, op


def addmm(self: Value, mat1: Value, mat2: Value, beta: float = 1.0, alpha: float = 1.0) -> Value:
    """Translate ``addmm``: the runtime's own sum is of floats, and wrong where they are none.

    Its factors have single precision.
    """
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
    product = op.ReduceSum(op.MatMul(batch1, batch2), axes(0), keepdims=False)
    return _added(self, product, beta, alpha)


def baddbmm(
    self: Value, batch1: Value, batch2: Value, beta: float = 1.0, alpha: float = 1.0
) -> Value:
    """Translate ``baddbmm``."""
    return _added(self, op.MatMul(batch1, batch2), beta, alpha)


def addmv(self: Value, mat: Value, vec: Value, beta: float = 1.0, alpha: float = 1.0) -> Value:
    """Translate ``addmv``."""
    return _added(self, op.MatMul(mat, vec), beta, alpha)


def _added(x: Value, product: Value, beta: float, alpha: float) -> Value:
    scaled = product if alpha == 1 else op.Mul(product, op.CastLike(alpha, x))
    if beta == 0:
        return scaled
    return op.Add(scaled, x if beta == 1 else op.Mul(x, op.CastLike(beta, x)))
