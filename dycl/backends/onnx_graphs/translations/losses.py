"""Cross entropy; ONNX has it for classes as integers alone, and without smoothing."""

from onnxscript import ir

from dycl.backends.onnx_graphs.translations.values import Value, axes, is_float, number, op

_REDUCTIONS = ("none", "mean", "sum")


def cross_entropy_loss(
    self: Value,
    target: Value,
    weight: Value | None = None,
    reduction: int = 1,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Value:
    """Translate ``cross_entropy_loss``."""
    way = _REDUCTIONS[reduction]
    if is_float(target):
        return _of_shares(self, target, weight, way, label_smoothing)
    loss = _of_integers(self, target, weight, way, ignore_index)
    if label_smoothing == 0:
        return loss
    if weight is not None:
        raise NotImplementedError("a cross entropy with weights and smoothed labels")
    counted = op.Not(op.Equal(target, op.CastLike(ignore_index, target)))
    spread = op.Where(counted, _negative_sum(self, _logarithms(self)), number(self, 0.0))
    if way != "none":
        spread = op.ReduceSum(spread, keepdims=False)
    if way == "mean":
        count = op.ReduceSum(op.Cast(counted, to=ir.DataType.INT64), keepdims=False)
        spread = op.Div(spread, op.CastLike(count, self))
    kept = op.Mul(loss, number(self, 1 - label_smoothing))
    return op.Add(kept, op.Mul(spread, number(self, label_smoothing / _classes(self))))


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


def _of_integers(
    x: Value, target: Value, weight: Value | None, way: str, ignore_index: int
) -> Value:
    settings = {"reduction": way, "ignore_index": ignore_index}
    if len(x.shape) > 1:
        return op.SoftmaxCrossEntropyLoss(x, target, weight, **settings)[0]
    batch = [op.Unsqueeze(each, axes(0)) for each in (x, target)]
    loss, _ = op.SoftmaxCrossEntropyLoss(*batch, weight, **settings)
    return op.Squeeze(loss, axes(0)) if way == "none" else loss


def _of_shares(
    x: Value, target: Value, weight: Value | None, way: str, label_smoothing: float
) -> Value:
    """Return the loss where each class has a share of the target."""
    if label_smoothing:
        kept = op.Mul(target, number(target, 1 - label_smoothing))
        target = op.Add(kept, number(target, label_smoothing / _classes(x)))
    logarithms = _logarithms(x)
    if weight is not None:
        rank = len(x.shape)
        shape = [-1 if dim == _class_dim(x) else 1 for dim in range(rank)]
        logarithms = op.Mul(logarithms, op.Reshape(weight, op.Constant(value_ints=shape)))
    loss = _negative_sum(x, op.Mul(logarithms, target))
    match way:
        case "mean":
            return op.ReduceMean(loss, keepdims=False)
        case "sum":
            return op.ReduceSum(loss, keepdims=False)
        case _:
            return loss


def _class_dim(x: Value) -> int:
    return 0 if len(x.shape) == 1 else 1


def _classes(x: Value) -> int:
    classes = x.shape[_class_dim(x)]
    if not isinstance(classes, int):
        raise NotImplementedError("smoothed labels of a number of classes known only at run time")
    return classes


def _logarithms(x: Value) -> Value:
    return op.LogSoftmax(x, axis=_class_dim(x))


def _negative_sum(x: Value, terms: Value) -> Value:
    return op.Neg(op.ReduceSum(terms, axes(_class_dim(x)), keepdims=False))
