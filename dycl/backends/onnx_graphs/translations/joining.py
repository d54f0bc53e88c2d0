"""Concatenation: PyTorch leaves out empty tensors of one dimension, whatever the others have."""

from collections.abc import Sequence

from dycl.backends.onnx_graphs.translations.values import Value, op


def cat(tensors: Sequence[Value], dim: int = 0) -> Value:
    """Translate ``cat``."""
    full = [x for x in tensors if list(x.shape) != [0]] or list(tensors[:1])
    return op.Identity(full[0]) if len(full) == 1 else op.Concat(*full, axis=dim)
