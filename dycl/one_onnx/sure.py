"""Whether a straight graph computes something for whatever content its operands have.

What comes behind a test that is made late runs where the program would have raised, too. So it
must not raise there: each of its operators is one that computes for any numbers, and places that
are looked up are known to be in range, as those are that ``NonZero`` and ``TopK`` find.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import prod

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

_NAMES = """
    Abs Add And ArgMax ArgMin AveragePool BatchNormalization Cast Ceil Clip Concat Constant Conv
    Cos Div Elu Equal Erf Exp Flatten Floor Gather GatherElements Gelu Gemm GlobalAveragePool
    Greater GreaterOrEqual HardSigmoid HardSwish Identity InstanceNormalization IsInf
    IsNaN LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax MatMul Max MaxPool Min
    Mish Mul Neg NonZero Not Or Pad Pow PRelu Reciprocal ReduceL1 ReduceL2 ReduceLogSumExp
    ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Reshape Round Selu
    Shape Sigmoid Sign Sin Slice Softmax Softplus Softsign Sqrt Squeeze Sub Sum Tan Tanh TopK
    Transpose Trilu Unsqueeze Where Xor
"""
_TOTAL = frozenset(_NAMES.split())
"""They fail for shapes that do not fit, if at all."""

_KEEPING = frozenset(
    {
        "Cast",
        "Flatten",
        "Gather",
        "Identity",
        "Reshape",
        "Slice",
        "Squeeze",
        "Transpose",
        "Unsqueeze",
    }
)
"""Their results have no elements but those of the first operand."""


def is_sure(model: onnx.ModelProto, excused: AbstractSet[str]) -> bool:
    """Return whether a straight graph raises for no content of its inputs.

    ``excused`` are the names of nodes that may raise.
    """
    inferred = onnx.shape_inference.infer_shapes(model).graph
    values = (*inferred.value_info, *inferred.input, *inferred.output)
    shapes = {v.name: _sizes(v) for v in values if v.type.tensor_type.HasField("shape")}
    shapes |= {tensor.name: tuple(tensor.dims) for tensor in inferred.initializer}
    kinds = {v.name: v.type.tensor_type.elem_type for v in values}
    kinds |= {tensor.name: tensor.data_type for tensor in inferred.initializer}
    knowing = _Knowing(shapes, kinds, {t.name: t for t in inferred.initializer})
    for name, kind in kinds.items():
        array = knowing.content(name) if kind in _INTEGERS else None
        if array is not None and array.size:
            knowing.bounds[name] = (int(array.min()), int(array.max()))
    outcomes = [(node, knowing.is_sure(node)) for node in inferred.node]
    return all(is_sure or node.name in excused for node, is_sure in outcomes)


_INTEGERS = frozenset({TensorProto.INT32, TensorProto.INT64})
_FLOATS = frozenset({TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16})
Sizes = tuple[int | None, ...]
"""None where one is not known."""


def _sizes(value: onnx.ValueInfoProto) -> Sizes:
    return tuple(
        d.dim_value if d.HasField("dim_value") else None for d in value.type.tensor_type.shape.dim
    )


@dataclass(slots=True)
class _Knowing:
    """Walks through a graph, and knows between which numbers places lie."""

    shapes: Mapping[str, Sizes]
    kinds: Mapping[str, int]
    """Element types."""
    constants: Mapping[str, TensorProto]
    bounds: dict[str, tuple[int, int]] = field(default_factory=dict)

    def is_sure(self, node: NodeProto) -> bool:
        """Look at the next node; return whether it raises for no content."""
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        self._note(node, attributes)
        if node.domain or node.op_type not in _TOTAL:
            return False
        match node.op_type:
            case "Gather" | "GatherElements":
                return self._is_in_range(node, attributes)
            case "Div":  # by an integer that is 0 nothing can be divided
                return self.kinds.get(node.input[0]) in _FLOATS
            case "TopK":
                size = self._along(node, attributes, -1)
                count = self.content(node.input[1])
                return size is not None and count is not None and int(count.item()) <= size
            case "Reshape":
                return self._divides(node)
            case "Conv" | "MaxPool" | "AveragePool":
                shape = self.shapes.get(node.input[0])
                return shape is not None and None not in shape[2:]
            case _:
                return True

    def content(self, name: str) -> "np.ndarray | None":
        """Return a constant's elements, None where they are in a file or nothing is constant."""
        tensor = self.constants.get(name)
        if tensor is None or tensor.data_location == TensorProto.EXTERNAL:
            return None
        return numpy_helper.to_array(tensor)

    def _along(self, node: NodeProto, attributes: Mapping[str, object], default: int) -> int | None:
        """Return the size of the first operand along the operator's axis."""
        shape, axis = self.shapes.get(node.input[0]), attributes.get("axis", default)
        assert isinstance(axis, int)
        return shape[axis] if shape else None

    def _divides(self, node: NodeProto) -> bool:
        """Return whether a tensor has elements for a shape, whatever its sizes of run time are."""
        shape, sizes = self.shapes.get(node.input[0]), self.content(node.input[1])
        if shape is None or sizes is None or 0 in sizes:
            return False
        known = prod(size for size in shape if size is not None)
        wanted = prod(int(size) for size in sizes if size != -1)
        return known == wanted if None not in shape else -1 in sizes and known % wanted == 0

    def _is_in_range(self, node: NodeProto, attributes: Mapping[str, object]) -> bool:
        size, bounds = self._along(node, attributes, 0), self.bounds.get(node.input[1])
        return size is not None and bounds is not None and -size <= bounds[0] and bounds[1] < size

    def _note(self, node: NodeProto, attributes: Mapping[str, object]) -> None:
        match node.op_type:
            case "NonZero":
                self._between(node.output[0], self.shapes.get(node.input[0]) or ())
            case "TopK" | "ArgMax" | "ArgMin":
                size = self._along(node, attributes, -1 if node.op_type == "TopK" else 0)
                self._between(node.output[-1], (size,))
            case "Cast" if attributes.get("to") not in _INTEGERS:
                return  # what wraps around or is rounded may be another number
            case operator if operator in _KEEPING and node.input[0] in self.bounds:
                self.bounds[node.output[0]] = self.bounds[node.input[0]]
            case "Concat":
                self._union(node.output[0], node.input)
            case "Where":
                self._union(node.output[0], node.input[1:])

    def _between(self, name: str, sizes: Sizes) -> None:
        known = [size for size in sizes if size is not None]
        if known and len(known) == len(sizes):
            self.bounds[name] = (0, max(known) - 1)

    def _union(self, name: str, operands: Iterable[str]) -> None:
        each = [self.bounds.get(operand) for operand in operands]
        known = [bounds for bounds in each if bounds is not None]
        if known and len(known) == len(each):
            self.bounds[name] = (min(low for low, _ in known), max(high for _, high in known))
