"""Maximum over windows as the plain operator; ``maximum_pooling.py`` sees to NaN and infinities."""

from collections.abc import Sequence

from dycl.backends.onnx_graphs.translations.values import Value, axes, op


def _max_pool(
    x: Value,
    rank: int,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
) -> tuple[Value, Value]:
    """Return the largest elements, and where in its flattened image each one lies."""
    kernel = _repeated(kernel_size, rank)
    attributes = {
        "kernel_shape": kernel,
        "strides": _repeated(stride, rank) if stride else kernel,
        "pads": _repeated(padding, rank) * 2,
        "dilations": _repeated(dilation, rank),
        "ceil_mode": int(ceil_mode),
    }
    is_batch = len(x.shape) == rank + 2
    images = x if is_batch else op.Unsqueeze(x, axes(0))
    pooled, places = op.MaxPool(images, **attributes)  # places among all images
    elements = op.ReduceProd(op.Shape(images, start=2), keepdims=0)
    places = op.Mod(places, elements)
    return (
        (pooled, places) if is_batch else (op.Squeeze(pooled, axes(0)), op.Squeeze(places, axes(0)))
    )


def _repeated(sizes: Sequence[int] | int, rank: int) -> list[int]:
    found = [sizes] if isinstance(sizes, int) else list(sizes)
    return found * rank if len(found) == 1 else found


def max_pool1d(
    self: Value,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil_mode: bool = False,
) -> Value:
    """Translate ``max_pool1d``."""
    return _max_pool(self, 1, kernel_size, stride, padding, dilation, ceil_mode)[0]


def max_pool2d(
    self: Value,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0, 0),
    dilation: Sequence[int] = (1, 1),
    ceil_mode: bool = False,
) -> Value:
    """Translate ``max_pool2d``."""
    return _max_pool(self, 2, kernel_size, stride, padding, dilation, ceil_mode)[0]


def max_pool3d(
    self: Value,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0, 0, 0),
    dilation: Sequence[int] = (1, 1, 1),
    ceil_mode: bool = False,
) -> Value:
    """Translate ``max_pool3d``."""
    return _max_pool(self, 3, kernel_size, stride, padding, dilation, ceil_mode)[0]


def max_pool2d_with_indices(
    self: Value,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0, 0),
    dilation: Sequence[int] = (1, 1),
    ceil_mode: bool = False,
) -> tuple[Value, Value]:
    """Translate ``max_pool2d_with_indices``."""
    return _max_pool(self, 2, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d_with_indices(
    self: Value,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0, 0, 0),
    dilation: Sequence[int] = (1, 1, 1),
    ceil_mode: bool = False,
) -> tuple[Value, Value]:
    """Translate ``max_pool3d_with_indices``."""
    return _max_pool(self, 3, kernel_size, stride, padding, dilation, ceil_mode)
