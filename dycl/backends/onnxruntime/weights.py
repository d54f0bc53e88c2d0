"""Puts weights into ONNX models: small ones inside, the others once in a shared file."""

import hashlib
from types import TracebackType
from typing import IO, Self

import onnx
import torch

from dycl.capture import CapturedSubDnn

FILE = "weights.bin"
INLINE_SIZE = 1024
"""Up to this many bytes a weight stands in the model itself."""
ALIGNMENT = 4096
"""The runtime maps the file into memory, which works by pages."""


class WeightsFile:
    """A file of tensors, each content once, written as tensors come in."""

    def __init__(self, path: str) -> None:
        self._file: IO[bytes] = open(path, "wb")  # noqa: SIM115 - closed by __exit__
        self._offsets: dict[bytes, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    @property
    def size(self) -> int:
        """Return how many bytes were written."""
        return self._file.tell()

    def place(self, content: bytes) -> int:
        """Return the offset at which ``content`` stands in the file."""
        digest = hashlib.sha256(content).digest()
        if digest not in self._offsets:
            self._file.write(bytes(-self._file.tell() % ALIGNMENT))
            self._offsets[digest] = self._file.tell()
            self._file.write(content)
        return self._offsets[digest]


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
            _store(tensor, _content(weight.tensor), file)
    return model


def _content(tensor: torch.Tensor) -> bytes:
    flat = tensor.detach().cpu().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().tobytes()


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
