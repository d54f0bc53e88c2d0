"""Normalization of doubles: ONNX keeps what is added to a variance in single precision."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from onnxscript import ir
from onnxscript.function_libs.torch_lib.ops import core, nn

from dycl.backends.onnx_graphs.translations.doubles import constant
from dycl.backends.onnx_graphs.translations.values import Value, axes, number, op


def _of_doubles(kernel: Callable[..., Any], composed: Callable[..., Any]) -> Callable[..., Any]:
    """Return a translation to what is composed, for doubles, and else to what the exporter has."""

    @wraps(composed)
    def translation(input: Value, *rest: Any, **named: Any) -> Any:
        chosen = composed if input.dtype == ir.DataType.DOUBLE else kernel
        return chosen(input, *rest, **named)

    return translation


def _deviations(x: Value, dims: Value) -> tuple[Value, Value, Value]:
    """Return means, what elements differ from them by, and variances; dimensions stay."""
    mean = op.ReduceMean(x, dims)
    rest = op.Sub(x, mean)
    return mean, rest, op.ReduceMean(op.Mul(rest, rest), dims)


def _scale(variance: Value, eps: float) -> Value:
    return op.Reciprocal(op.Sqrt(op.Add(variance, constant(eps))))


def _affine(x: Value, weight: Value, bias: Value) -> Value:
    scaled = x if weight is None else op.Mul(x, weight)
    return scaled if bias is None else op.Add(scaled, bias)


def _layers(
    input: Value,
    normalized_shape: Sequence[int],
    weight: Value = None,
    bias: Value = None,
    eps: float = 1e-05,
) -> tuple[Value, Value, Value]:
    dims = op.Constant(value_ints=[*range(-len(normalized_shape), 0)])
    mean, rest, variance = _deviations(input, dims)
    scale = _scale(variance, eps)
    return _affine(op.Mul(rest, scale), weight, bias), mean, scale


def _of_channels(x: Value, numbers: Value) -> Value:
    """Return numbers, one for each channel, with the dimensions of images."""
    rank = len(x.shape)
    return (
        numbers
        if numbers is None or rank == 2
        else op.Unsqueeze(numbers, axes([*range(1, rank - 1)]))
    )


def _batches(
    input: Value,
    weight: Value = None,
    bias: Value = None,
    running_mean: Value = None,
    running_var: Value = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> tuple[Value, Value, Value]:
    dims = axes([dim for dim in range(len(input.shape)) if dim != 1])
    if training or running_mean is None or running_var is None:
        mean, rest, variance = _deviations(input, dims)
        scale = _scale(variance, eps)
    else:
        mean = _of_channels(input, running_mean)
        rest, scale = op.Sub(input, mean), _of_channels(input, _scale(running_var, eps))
    norm = op.Mul(rest, scale)
    found = _affine(norm, _of_channels(input, weight), _of_channels(input, bias))
    return found, op.Identity(mean), scale


def _batches_of_known(
    input: Value,
    weight: Value = None,
    bias: Value = None,
    running_mean: Value = None,
    running_var: Value = None,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> tuple[Value, Value, Value]:
    return _batches(input, weight, bias, running_mean, running_var, eps=eps)


def _batches_of_unknown(
    input: Value,
    weight: Value = None,
    bias: Value = None,
    training: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> tuple[Value, Value, Value]:
    return _batches(input, weight, bias, eps=eps)


def _groups(
    input: Value,
    weight: Value = None,
    bias: Value = None,
    N: Value = None,
    C: Value = None,
    HxW: Value = None,
    group: int = 1,
    eps: float = 1e-05,
) -> tuple[Value, Value, Value]:
    rows = op.Reshape(input, op.Constant(value_ints=[0, group, -1]))
    mean, rest, variance = _deviations(rows, axes(2))
    scale = _scale(variance, eps)
    norm = op.Reshape(op.Mul(rest, scale), op.Shape(input), allowzero=1)
    found = _affine(norm, _of_channels(input, weight), _of_channels(input, bias))
    return found, op.Squeeze(mean, axes(2)), op.Squeeze(scale, axes(2))


def group_norm(
    input: Value,
    num_groups: int,
    weight: Value = None,
    bias: Value = None,
    eps: float = 1e-05,
    cudnn_enabled: bool = True,
) -> Value:
    """Translate ``group_norm``.

    The exporter's own leaves a size open, which an empty batch has not, and ONNX Runtime ends the
    process where it normalizes instances without elements.
    """
    if all(isinstance(size, int) and size > 0 for size in input.shape):
        return nn.aten_group_norm(input, num_groups, weight, bias, eps, cudnn_enabled)
    each = op.Div(op.ReduceProd(op.Shape(input, start=1), keepdims=1), axes(num_groups))
    sizes = op.Concat(op.Shape(input, start=0, end=1), axes(num_groups), each, axis=0)
    _, rest, variance = _deviations(op.Reshape(input, sizes, allowzero=1), axes(2))
    scale = op.Reciprocal(op.Sqrt(op.Add(variance, number(input, eps))))
    norm = op.Mul(rest, scale)
    norm = op.Reshape(norm, op.Shape(input), allowzero=1)
    return _affine(norm, _of_channels(input, weight), _of_channels(input, bias))


def _instances(
    input: Value,
    weight: Value = None,
    bias: Value = None,
    running_mean: Value = None,
    running_var: Value = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-05,
    cudnn_enabled: bool = False,
) -> Value:
    if not use_input_stats:
        return _batches(input, weight, bias, running_mean, running_var, eps=eps)[0]
    _, rest, variance = _deviations(input, axes([*range(2, len(input.shape))]))
    norm = op.Mul(rest, _scale(variance, eps))
    return _affine(norm, _of_channels(input, weight), _of_channels(input, bias))


def _layer(
    input: Value,
    normalized_shape: Sequence[int],
    weight: Value = None,
    bias: Value = None,
    eps: float = 1e-05,
    cudnn_enable: bool = True,
) -> Value:
    return _layers(input, normalized_shape, weight, bias, eps)[0]


layer_norm = _of_doubles(core.aten_layer_norm, _layer)
native_layer_norm = _of_doubles(core.aten_native_layer_norm, _layers)
native_group_norm = _of_doubles(core.aten_native_group_norm, _groups)
instance_norm = _of_doubles(core.aten_instance_norm, _instances)
native_batch_norm = _of_doubles(core.aten_native_batch_norm, _batches)
batch_norm_of_known = _of_doubles(core.aten__native_batch_norm_no_training, _batches_of_known)
batch_norm_of_unknown = _of_doubles(core.aten__native_batch_norm_no_stats, _batches_of_unknown)
