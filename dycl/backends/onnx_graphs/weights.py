"""Puts weights into ONNX models: small ones inside, the others in the package's shared file."""

import onnx

from dycl.backends.onnx_graphs.exporting import as_real
from dycl.backends.onnx_graphs.splitting import reads
from dycl.backends.weights_file import FILE, WeightsFile, content_of
from dycl.capture import CapturedSubDnn

INLINE_SIZE = 1024
"""Up to this many bytes a weight stands in the model itself."""


def with_weights(
    skeleton: onnx.ModelProto, subdnn: CapturedSubDnn, file: WeightsFile
) -> onnx.ModelProto:
    """Return the graph of a structure with the weights of one sub-DNN in it.

    Of the skeleton's inputs, those after the sub-DNN's own stand for the weights.
    """
    model = onnx.ModelProto()
    model.CopyFrom(skeleton)
    graph = model.graph
    slots = list(graph.input)[len(subdnn.inputs) :]
    del graph.input[len(subdnn.inputs) :]
    read = {name for node in graph.node for name in reads(node)}
    for constant in graph.initializer:
        store(constant, onnx.numpy_helper.to_array(constant).tobytes(), file)
    for slot, weight in zip(slots, subdnn.weights, strict=True):
        if slot.name in read:
            tensor = graph.initializer.add(
                name=slot.name,
                data_type=slot.type.tensor_type.elem_type,
                dims=as_real(weight.tensor).shape,
            )
            store(tensor, content_of(weight.tensor), file)
    return model


def store(tensor: onnx.TensorProto, content: bytes, file: WeightsFile) -> None:
    """Give a tensor its content: inside where it is small, else in the file."""
    if len(content) <= INLINE_SIZE:
        _clear(tensor)
        tensor.raw_data = content
    else:
        place_outside(tensor, file.place(content), len(content))


def place_outside(tensor: onnx.TensorProto, offset: int, length: int) -> None:
    """Let a tensor's content stand in the file."""
    _clear(tensor)
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, value in (("location", FILE), ("offset", offset), ("length", length)):
        tensor.external_data.add(key=key, value=str(value))


def _clear(tensor: onnx.TensorProto) -> None:
    for field in ("raw_data", "float_data", "int32_data", "int64_data", "double_data"):
        tensor.ClearField(field)
