"""ONNX Runtime's optimizer, run ahead of time, and a model that shows its blocks."""

import tempfile
from pathlib import Path

import onnx
import onnxruntime

NCHWC = "com.microsoft.nchwc"
_PROBED = 64
"""Channels of the image that is laid out to see how."""

BASIC = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
ALL = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL


def optimised(model: onnx.ModelProto | Path, level: object) -> onnx.ModelProto:
    """Return a graph as the optimizer leaves it, with all weights in it.

    Weights of a model in memory must be in it; those of a file may be beside it, as is what the
    optimizer writes.
    """
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = level
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "optimised.onnx"
        given: str | bytes = b""
        if isinstance(model, Path):
            file, given = model.with_name("optimised.onnx"), str(model)
        else:
            given = model.SerializeToString()
        options.optimized_model_filepath = str(file)
        onnxruntime.InferenceSession(given, options, providers=["CPUExecutionProvider"])
        return onnx.load(file)  # with the weights, some of which may still be beside it


def probe() -> bytes:
    """Return a model whose result shows how this machine lays out images in blocks."""
    values = [
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, _PROBED, 1, 2])
        for name in ("x", "y")
    ]
    node = onnx.helper.make_node("ReorderInput", ["x"], ["y"], domain=NCHWC)
    graph = onnx.helper.make_graph([node], "probe", values[:1], values[1:])
    versions = [onnx.helper.make_opsetid("", 20), onnx.helper.make_opsetid(NCHWC, 1)]
    model = onnx.helper.make_model(graph, opset_imports=versions, ir_version=10)
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def smallest_model() -> bytes:
    """Return a model that does nothing, to see whether a session can be made."""
    x, y = (
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1]) for name in ("x", "y")
    )
    graph = onnx.helper.make_graph([onnx.helper.make_node("Neg", ["x"], ["y"])], "least", [x], [y])
    versions = [onnx.helper.make_opsetid("", 20)]
    model = onnx.helper.make_model(graph, opset_imports=versions, ir_version=10)
    content: bytes = model.SerializeToString(deterministic=True)
    return content
