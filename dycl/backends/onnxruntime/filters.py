"""Weights of convolutions in blocks: how the loader lays them out from those of the plain graph.

The package has each weight once, in order. What the optimizer made of a weight is compared with
what the loader would make of it, byte by byte; only where they are equal it is left out.
"""

from collections.abc import Iterator

import numpy as np
import onnx

KINDS = ("both", "outer")
"""Blocks of input and output channels, or of output channels only."""


def laid_out(weight: np.ndarray, kind: str, block: int) -> np.ndarray:
    """Return a filter in blocks; ``runtime.py`` has the same."""
    outer, inner, *kernel = weight.shape
    rows = -(-outer // block)
    columns = -(-inner // block) if kind == "both" else inner
    width = block if kind == "both" else 1
    padded = np.zeros((rows * block, columns * width, *kernel), weight.dtype)
    padded[:outer, :inner] = weight
    parts = padded.reshape(rows, block, columns, width, *kernel)
    return np.ascontiguousarray(parts.transpose(0, 2, 4, 5, 3, 1)).reshape(padded.shape)


def recipes(
    fast: onnx.ModelProto, plain: onnx.ModelProto, block: int
) -> Iterator[tuple[onnx.TensorProto, dict[str, object], bytes]]:
    """Yield the initializers of ``fast`` that can be made of those of ``plain``, how, and of what.

    Both have their weights inside.
    """
    known: dict[bytes, tuple[dict[str, object], bytes]] = {}
    for tensor in _filters(plain):
        weight = onnx.numpy_helper.to_array(tensor)
        for kind in KINDS:
            content = laid_out(weight, kind, block).tobytes()
            recipe: dict[str, object] = {"shape": list(tensor.dims), "kind": kind}
            known.setdefault(content, (recipe, weight.tobytes()))
    for tensor in _filters(fast):
        found = known.get(onnx.numpy_helper.to_array(tensor).tobytes())
        if found is not None:
            recipe, content = found
            yield tensor, {"name": tensor.name, **recipe}, content


def _filters(model: onnx.ModelProto) -> list[onnx.TensorProto]:
    return [
        tensor
        for tensor in model.graph.initializer
        if len(tensor.dims) == 4 and tensor.data_type == onnx.TensorProto.FLOAT
    ]
