"""Where weights stand: each content once, in the graph that uses it or in the outermost.

ONNX Runtime lays out the weights of convolutions anew only where they stand in the very graph
of the convolution. The weights of products it packs, once per graph that they stand in: those
stand outermost, where all branches share them.
"""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper

from dycl.backends.onnx_graphs.exporting import as_real
from dycl.backends.weights_file import FILE, content_of
from dycl.one_onnx.graphs import GraphWriter, Value

_SHARED = frozenset({"MatMul", "Gemm", "Transpose", "Gather", "LSTM", "GRU", "RNN"})
"""Operators whose weights are packed, or only read from."""

INLINE_SIZE = 1024
"""Up to this many bytes a tensor stands in the model itself, whatever its size."""


class Places(Protocol):
    """A file that tensors are put into."""

    def place(self, content: bytes) -> int:
        """Return the offset at which ``content`` stands."""


class Nowhere:
    """Keeps nothing: for graphs that are looked at and not run."""

    def place(self, content: bytes) -> int:
        """Return an offset that means nothing."""
        return 0


@dataclass(slots=True)
class Weights:
    """Puts tensors into graphs."""

    file: Places | None
    """Where the large ones go; None: into the model."""

    def tensor(
        self,
        tensor: torch.Tensor,
        element: int,
        writer: GraphWriter,
        consumers: Collection[str] = (),
    ) -> Value:
        """Return a tensor of the model as a value for nodes of the kinds ``consumers``."""
        shape = tuple(as_real(tensor).shape)  # complex numbers are pairs
        return self.place(content_of(tensor), element, shape, writer, consumers)

    def place(
        self,
        content: bytes,
        element: int,
        shape: tuple[int, ...],
        writer: GraphWriter,
        consumers: Collection[str] = (),
    ) -> Value:
        """Return a content as a value."""
        is_shared = bool(consumers) and _SHARED.issuperset(consumers)
        holder = writer.outermost if is_shared or not consumers else writer
        key = (element, shape, hashlib.sha256(content).digest())
        if key not in holder.initializers:
            name = writer.name("weight")
            holder.initializers[key] = self._proto(name, content, element, shape)
        return Value(name=holder.initializers[key].name, element=element, shape=shape)

    def _proto(
        self, name: str, content: bytes, element: int, shape: tuple[int, ...]
    ) -> TensorProto:
        proto = TensorProto(name=name, data_type=element, dims=shape)
        if self.file is None or len(content) <= INLINE_SIZE:
            proto.raw_data = content
            return proto
        offset = self.file.place(content)
        proto.data_location = TensorProto.EXTERNAL
        for key, value in (("location", FILE), ("offset", offset), ("length", len(content))):
            proto.external_data.add(key=key, value=str(value))
        return proto


def content_of_proto(tensor: TensorProto) -> bytes:
    """Return the bytes of an initializer."""
    array = onnx.numpy_helper.to_array(tensor)
    assert array.dtype == np.dtype(helper.tensor_dtype_to_np_dtype(tensor.data_type))
    return array.tobytes()
