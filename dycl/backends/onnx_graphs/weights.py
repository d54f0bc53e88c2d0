"""Puts weights into ONNX models: small ones inside, the others in the package's shared file."""

import onnx

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
    read = {name for node in graph.node for name in node.input}
    for constant in graph.initializer:
        _store(constant, onnx.numpy_helper.to_array(constant).tobytes(), file)
    for slot, weight in zip(slots, subdnn.weights, strict=True):
        if slot.name in read:
            tensor = graph.initializer.add(
                name=slot.name,
                data_type=slot.type.tensor_type.elem_type,
                dims=weight.tensor.shape,
            )
            _store(tensor, content_of(weight.tensor), file)
    return model


def _store(tensor: onnx.TensorProto, content: bytes, file: WeightsFile) -> None:
    for field in ("raw_data", "float_data", "int32_data", "int64_data", "double_data"):
        tensor.ClearField(field)
    if len(content) <= INLINE_SIZE:
        tensor.raw_data = content
        return
    offset = file.place(content)
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, value in (("location", FILE), ("offset", offset), ("length", len(content))):
        tensor.external_data.add(key=key, value=str(value))
