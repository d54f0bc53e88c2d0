"""Windows that slide over images, of which there may be none."""

from collections.abc import Sequence

from onnxscript.function_libs.torch_lib.ops import nn

from dycl.backends.onnx_graphs.translations.values import Value, axes, integer, op


def im2col(
    self: Value,
    kernel_size: Sequence[int],
    dilation: Sequence[int] = (1, 1),
    padding: Sequence[int] = (0, 0),
    stride: Sequence[int] = (1, 1),
) -> Value:
    """Translate ``im2col``: the exporter's own leaves open how many windows there are."""
    rank = len(self.shape)
    if rank == 4 and all(isinstance(size, int) for size in self.shape):
        return nn.aten_im2col(self, kernel_size, dilation, padding, stride)
    around = [*[0] * (rank - 2), *padding]
    x = op.Pad(self, op.Constant(value_ints=[*around, *around]))
    counts = []
    for axis, size, apart, step in zip(
        (rank - 2, rank), kernel_size, dilation, stride, strict=True
    ):
        end = op.Sub(op.Shape(x, start=axis, end=axis + 1), axes(apart * (size - 1)))
        firsts = op.Range(integer(0), op.Squeeze(end), integer(step))
        within = op.Unsqueeze(axes([apart * place for place in range(size)]), axes(1))
        x = op.Gather(x, op.Add(op.Unsqueeze(firsts, axes(0)), within), axis=axis)
        counts.append(op.Shape(firsts))
    before = [*range(rank - 3)]
    x = op.Transpose(x, perm=[*before, *(rank - 3 + place for place in (0, 1, 3, 2, 4))])
    channels = op.Mul(
        op.Shape(self, start=rank - 3, end=rank - 2), axes(kernel_size[0] * kernel_size[1])
    )
    sizes = [op.Shape(self, start=0, end=1)] if before else []
    return op.Reshape(x, op.Concat(*sizes, channels, op.Mul(*counts), axis=0), allowzero=1)
