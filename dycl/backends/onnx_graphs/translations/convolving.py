"""Convolutions that the exporter has no translation for."""

from dycl.backends.onnx_graphs.translations.values import Value, op


def conv_tbc(self: Value, weight: Value, bias: Value, pad: int = 0) -> Value:
    """Translate ``conv_tbc``, which has time first and channels last."""
    rows = op.Transpose(self, perm=[1, 2, 0])
    filters = op.Transpose(weight, perm=[2, 1, 0])
    return op.Transpose(op.Conv(rows, filters, bias, pads=[pad, pad]), perm=[2, 0, 1])
