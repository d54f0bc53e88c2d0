"""The ONNX types of variables."""

import torch
from onnx import TensorProto

from dycl.one_onnx.expressions import ELEMENTS
from dycl.one_onnx.graphs import Shape
from dycl.one_onnx.number import kind_of
from dycl.one_onnx.refusing import Inexpressible
from rewriter.program import ScalarSpec, TensorSpec, Variable, VariableSpec

_TENSORS = {
    torch.float16: TensorProto.FLOAT16,
    torch.float32: TensorProto.FLOAT,
    torch.float64: TensorProto.DOUBLE,
    torch.int8: TensorProto.INT8,
    torch.int16: TensorProto.INT16,
    torch.int32: TensorProto.INT32,
    torch.int64: TensorProto.INT64,
    torch.uint8: TensorProto.UINT8,
    torch.bool: TensorProto.BOOL,
}


def element_of(dtype: torch.dtype) -> int:
    """Return the ONNX element type."""
    if dtype not in _TENSORS:
        raise Inexpressible(f"a {dtype} tensor")
    return _TENSORS[dtype]


def torch_type(element: int) -> torch.dtype:
    """Return PyTorch's element type."""
    return next(dtype for dtype, own in _TENSORS.items() if own == element)


def type_of(spec: VariableSpec, called: str) -> tuple[int, Shape]:
    """Return element type and shape of what a variable holds; ``called`` is what it is called."""
    match spec:
        case TensorSpec():
            sizes = (size if isinstance(size, int) else None for size in spec.shape)
            return element_of(spec.dtype), tuple(sizes)
        case ScalarSpec() if (kind := kind_of(spec.type)) is not None:
            return ELEMENTS[kind], ()
        case ScalarSpec():
            raise Inexpressible(f"`{called}`, a number of one type or of another,")
        case _:
            what = getattr(spec, "description", "an object")
            raise Inexpressible(f"`{called}`, a value of the host ({what}),")


def type_of_variable(variable: Variable) -> tuple[int, Shape]:
    """Return element type and shape of what a variable holds."""
    return type_of(variable.spec, variable.hint)


def union(one: Shape, other: Shape) -> Shape:
    """Return the shape of what has one of two shapes."""
    if one is None or other is None or len(one) != len(other):
        return None
    return tuple(a if a == b else None for a, b in zip(one, other, strict=True))
