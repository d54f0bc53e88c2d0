"""Elements read as another type of the same bytes: ``BitCast``, which knows no truths.

Which of its many patterns a NaN has depends on the kernel that made it (PyTorch's ``maximum`` sets
all bits), so a NaN is looked up where there is nothing: that raises.
"""

import numpy as np
import onnx
from onnxscript import ir, values

from dycl.backends.onnx_graphs.translations.values import Value, integer, is_float, number, op

_BYTES = (ir.DataType.INT8, ir.DataType.UINT8)


def view_as_type(self: Value, dtype: int) -> Value:
    """Translate ``view.dtype``."""
    wanted = ir.DataType(dtype)
    if wanted == self.dtype:
        return op.Identity(self)
    if {wanted, self.dtype} <= {*_BYTES, ir.DataType.BOOL} and wanted in _BYTES:
        return op.Cast(self, to=wanted)
    if ir.DataType.BOOL in (wanted, self.dtype) or wanted.bitwidth != self.dtype.bitwidth:
        names = wanted.name.lower(), self.dtype.name.lower()
        raise NotImplementedError("elements read as {} where {} is written".format(*names))
    given = _checked(self) if is_float(self) else self
    schema = onnx.defs.get_schema("BitCast", 26, "")
    bits = values.Op(values.Opset("", 26), "BitCast", schema)(given, to=wanted)
    bits.producer().version = None  # the graph's, which is another one in the end
    return bits


def _checked(x: Value) -> Value:
    """Return floats as they are; raise where one is NaN."""
    count = op.ReduceSum(op.Cast(op.IsNaN(x), to=ir.DataType.INT64), keepdims=False)
    place = op.Cast(op.Greater(count, integer(0)), to=ir.DataType.INT64)
    never = op.Constant(value=ir.tensor(np.zeros(1, dtype=np.bool_)))
    return op.Where(op.Gather(never, place, axis=0), number(x, 0.0), x)


def count(self: Value) -> Value:
    """Translate ``sym_numel``, how many elements there are."""
    return op.Size(self)
