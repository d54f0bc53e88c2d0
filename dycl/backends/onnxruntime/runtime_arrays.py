"""Arrays that ONNX Runtime knows, and what sub-DNNs write to."""

import numpy as np
import onnxruntime

_TYPES = {
    "tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16,
    "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(int16)": np.int16,
    "tensor(int8)": np.int8, "tensor(uint8)": np.uint8, "tensor(bool)": np.bool_,
}  # fmt: skip

IN_BLOCKS = "_in_blocks"
"""The end of the names of a fast graph's inputs and outputs that are laid out in blocks."""

_ALIGNMENT = 64
"""Bytes; sums begin where vectors do, so the last bits of a result depend on where arrays lie."""


SMALL = 4096
"""Bytes up to which it takes less time to copy an array than to see whether it is bound."""

TINY = 1024
"""Bytes of a result up to which it takes less time to copy it than to do without its memory."""

LARGE = 65536
"""Bytes from which it takes less time to bind an array than to copy it to where one is bound."""


def is_bindable(session):
    """Return whether all is known about what a session takes and gives but the numbers."""
    values = (*session.get_inputs(), *session.get_outputs())
    return all(value.type in _TYPES and _is_static(value.shape) for value in values)


def _is_static(shape):
    return all(isinstance(size, int) for size in shape)


class Port:
    """An input or output of which all sizes are known."""

    def __init__(self, value, block):
        self.name = value.name
        self.is_in_blocks = self.name.endswith(IN_BLOCKS)
        self.bound_shape = self.shape = tuple(value.shape)
        if self.is_in_blocks:
            n, c, h, w = self.shape
            self.shape = (n, c // block, h, w, block)
        self.type = np.dtype(_TYPES[value.type])
        self.size = int(np.prod(self.shape)) * self.type.itemsize


class Bound:
    """An array, and the same memory as ONNX Runtime knows it."""

    def __init__(self, port):
        self.array = aligned(port.shape, port.type)
        view = self.array.reshape(port.bound_shape)
        self.value = onnxruntime.OrtValue.ortvalue_from_numpy(view)


def aligned(shape, dtype):
    """Return a new array at a round address."""
    # not of another array, to which numpy would make all views refer instead
    memory = bytearray(int(np.prod(shape)) * dtype.itemsize + _ALIGNMENT)
    start = -np.frombuffer(memory, np.uint8).ctypes.data % _ALIGNMENT
    return np.ndarray(shape, dtype, memory, start)


class OutputSet:
    """Arrays for the results of a sub-DNN and the sums of squares, and what writes to them.

    They are written to again when nobody else refers to the results any more: views, tensors and
    whatever else shares the memory of an array hold a reference to it.
    """

    def __init__(self, ports, references):
        self.bound = [Bound(port) for port in ports]
        self.arrays = [each.array for each in self.bound]
        self.plans = {}
        """Plans by the identities of what they read."""
        self.references = references
        self.fewest = references(self.arrays)
        """References to the results where nobody else has one: others can only add to them."""

    def is_free(self):
        """Return whether nobody refers to the results."""
        return self.references(self.arrays) == self.fewest


def bind_for_now(binding, port, array):
    """Bind an array; return what must live until the sub-DNN has run."""
    array = np.ascontiguousarray(array)
    address = array.ctypes.data
    binding.bind_input(port.name, "cpu", 0, port.type, port.bound_shape, address)
    return array
