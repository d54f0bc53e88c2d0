"""Elements read as another type of the same bytes; the runtime has casts for integers only."""

from onnxscript import ir

from dycl.backends.onnx_graphs.translations.values import Value, op

_BYTES = (ir.DataType.INT8, ir.DataType.UINT8)
_CASTS = dict.fromkeys((*_BYTES, ir.DataType.BOOL), _BYTES)
"""What a type may be read as where a cast keeps all bits."""


def view_as_type(self: Value, dtype: int) -> Value:
    """Translate ``view.dtype``."""
    if dtype == self.dtype:
        return op.Identity(self)
    if dtype not in _CASTS.get(self.dtype, ()):
        names = ir.DataType(dtype).name.lower(), self.dtype.name.lower()
        raise NotImplementedError("elements read as {} where {} is written".format(*names))
    return op.Cast(self, to=dtype)


def count(self: Value) -> Value:
    """Translate ``sym_numel``, how many elements there are."""
    return op.Size(self)
