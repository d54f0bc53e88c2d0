"""Lets only those ONNX operators pass that OpenVINO computes as PyTorch does.

OpenVINO's CPU code computes 64-bit integers in 32 bits and double precision in single, lets
small integers stick at their ends instead of wrapping around, takes 0 for what lies outside of
a tensor, and hides NaN in comparisons, maxima and ReLU. So integers may be carried,
compared and used as indices here, but not computed with; floats are single precision; and
where an index or a NaN could come up at run time, ``guards.py`` watches for it.
"""

from collections.abc import Iterable, Iterator

import numpy as np
import onnx


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CARRYING = _names(
    "Identity Reshape Transpose Squeeze Unsqueeze Flatten Concat Split Slice Expand Tile Pad "
    "Gather GatherElements GatherND ScatterND ScatterElements Where Shape Size If "
    "ConstantOfShape Constant DepthToSpace SpaceToDepth Trilu OneHot NonZero"
)
"""They move values of any type."""

_COMPARING = _names(
    "Equal Less LessOrEqual Greater GreaterOrEqual ArgMax ArgMin TopK ReduceMax ReduceMin Max "
    "Min Clip Range"
)
"""They order values of any type; no result is larger than what goes in."""

_LOGICAL = _names("And Or Xor Not IsNaN IsInf")
"""They give or take truth values."""

_COMPUTING = _names(
    "Add Sub Mul Div Neg Abs Exp Log Sqrt Pow Reciprocal Sigmoid Tanh Relu LeakyRelu Elu Selu "
    "Celu Softplus Softsign HardSigmoid HardSwish Mish Erf Gelu PRelu Sin Cos Tan Asin Acos "
    "Atan Sinh Cosh Floor Ceil Round Sign Conv ConvTranspose MatMul Gemm BatchNormalization "
    "LayerNormalization InstanceNormalization GroupNormalization LpNormalization "
    "GlobalAveragePool GlobalMaxPool AveragePool MaxPool ReduceSum ReduceMean ReduceProd "
    "ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSumExp Softmax LogSoftmax Resize CumSum"
)
"""They compute with floats; with integers they are refused."""

_ALLOWED = _CARRYING | _COMPARING | _LOGICAL | _COMPUTING

_TYPES = {
    onnx.TensorProto.FLOAT,
    onnx.TensorProto.BOOL,
    onnx.TensorProto.INT64,
    onnx.TensorProto.INT32,
    onnx.TensorProto.UINT8,
    onnx.TensorProto.INT8,
    onnx.TensorProto.INT16,
}
_INTEGERS = _TYPES - {onnx.TensorProto.FLOAT, onnx.TensorProto.BOOL}


class NotTaken(Exception):
    """A graph has something that OpenVINO does not compute as PyTorch does. The text says what."""


def require_taken(model: onnx.ModelProto, types: dict[str, int]) -> None:
    """Raise ``NotTaken`` for the first operator that is not the same in OpenVINO.

    ``types`` are the element types of all values.
    """
    for node in every_node(model.graph):
        used = [types[name] for name in (*node.input, *node.output) if name in types]
        for kind in used:
            if kind not in _TYPES:
                raise NotTaken(f"{node.op_type} of {_name(kind)}, which it computes in float32")
        if node.op_type == "Cast":
            _require_cast(node, types)
        elif node.op_type not in _ALLOWED:
            raise NotTaken(f"{node.op_type} is not known to be the same there")
        elif node.op_type in _COMPUTING and types.get(node.output[0]) in _INTEGERS:
            kind = types[node.output[0]]
            raise NotTaken(f"{node.op_type} of {_name(kind)}: it computes integers in 32 bits")
    require_numbers(content for _, content in every_constant(model.graph))


def every_node(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    """Yield the nodes of a graph, and those of the graphs inside of them."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            yield from every_node(attribute.g)


def every_constant(graph: onnx.GraphProto) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the constants of a graph, and of the graphs inside of it, by name."""
    for tensor in graph.initializer:
        yield tensor.name, onnx.numpy_helper.to_array(tensor)
    for node in graph.node:
        for attribute in node.attribute:
            yield from every_constant(attribute.g)
            if node.op_type == "Constant" and attribute.name == "value":
                yield node.output[0], onnx.numpy_helper.to_array(attribute.t)


def every_value(graph: onnx.GraphProto) -> Iterator[onnx.ValueInfoProto]:
    """Yield what is known of the values of a graph, and of the graphs inside of it."""
    yield from (*graph.input, *graph.output, *graph.value_info)
    for node in graph.node:
        for attribute in node.attribute:
            yield from every_value(attribute.g)


def _require_cast(node: onnx.NodeProto, types: dict[str, int]) -> None:
    source, target = types.get(node.input[0]), types.get(node.output[0])
    if target in _INTEGERS and source != onnx.TensorProto.BOOL and source != target:
        widening = source in _INTEGERS and target == onnx.TensorProto.INT64
        if not widening:
            assert source is not None and target is not None
            raise NotTaken(f"Cast of {_name(source)} to {_name(target)}: large values differ")


def require_numbers(constants: Iterable[np.ndarray]) -> None:
    """Raise ``NotTaken`` where a constant or weight has a value that OpenVINO does not keep."""
    for values in constants:
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise NotTaken("a constant is infinite or NaN, which it hides in places")
        if values.dtype == np.int64 and not _fits(values):
            raise NotTaken("an integer constant has more than 32 bits")


def _fits(values: np.ndarray) -> bool:
    """Slices run to the largest integer there is: it may be any large one."""
    ends = np.isin(values, (2**63 - 1, -(2**63)))
    return bool((ends | ((values > -(2**31)) & (values < 2**31))).all())


def _name(kind: int) -> str:
    return str(np.dtype(onnx.helper.tensor_dtype_to_np_dtype(kind)))
