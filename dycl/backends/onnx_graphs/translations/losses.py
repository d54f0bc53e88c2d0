"""Losses that may be of nothing."""

from dycl.backends.onnx_graphs.translations.values import Value, op

_REDUCTIONS = ("none", "mean", "sum")


def mse_loss(self: Value, target: Value, reduction: int = 1) -> Value:
    """Translate ``mse_loss``: NaN where there is nothing."""
    apart = op.Sub(self, target)
    squares = op.Mul(apart, apart)
    match _REDUCTIONS[reduction]:
        case "mean":
            sizes = (*self.shape, *target.shape)
            known = all(isinstance(size, int) and size > 0 for size in sizes)
            return op.ReduceMean(squares, keepdims=False) if known else _mean_of_any(squares)
        case "sum":
            return op.ReduceSum(squares, keepdims=False)
        case _:
            return squares


def _mean_of_any(x: Value) -> Value:
    """Return the mean of a number of elements that is known at run time only."""
    count = op.CastLike(op.Size(x), x)
    return op.Div(op.ReduceSum(x, keepdims=False), count)
