"""Products of matrices that are added to something, which a factor 0 leaves out: NaN, too."""

from dycl.backends.onnx_graphs.translations.values import Value, axes, op


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
