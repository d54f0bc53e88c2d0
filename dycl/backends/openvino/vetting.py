"""Lets only those ONNX operators pass that OpenVINO computes as PyTorch does.

OpenVINO's CPU code computes double precision in single, takes 0 for what lies outside of a tensor,
and hides NaN in comparisons, maxima and ReLU. So floats are single precision, and where an index or
a NaN could come up at run time, ``guards.py`` watches for it. Where sizes are known only at run
time, what comes after an ``If`` may compute in memory that is not its own. What it does to
integers, and with infinities, is for ``exact_integers.py`` and ``infinities.py``.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import onnx


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CARRYING = _names(
    "Identity Reshape Transpose Squeeze Unsqueeze Flatten Concat Split Slice Expand Tile Pad "
    "Gather GatherElements GatherND ScatterND ScatterElements Where Shape Size "
    "ConstantOfShape Constant DepthToSpace SpaceToDepth Trilu OneHot NonZero"
)
"""They move values of any type."""

_COMPARING = _names(
    "Equal Less LessOrEqual Greater GreaterOrEqual ArgMax ArgMin TopK ReduceMax ReduceMin Max "
    "Min Clip Range"
)
"""They order values of any type."""

_LOGICAL = _names("And Or Xor Not IsNaN IsInf")
"""They give or take truth values."""

_COMPUTING = _names(
    "Add Sub Mul Div Neg Abs Exp Log Sqrt Pow Reciprocal Sigmoid Tanh Relu LeakyRelu Elu Selu "
    "Celu Softplus Softsign HardSigmoid HardSwish Mish Erf Gelu PRelu Sin Cos Tan Asin Acos "
    "Atan Sinh Cosh Floor Ceil Round Sign MatMul Gemm BatchNormalization "
    "LayerNormalization InstanceNormalization GroupNormalization LpNormalization "
    "GlobalAveragePool GlobalMaxPool AveragePool MaxPool ReduceSum ReduceMean ReduceProd "
    "ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSumExp Softmax LogSoftmax Resize CumSum Mod"
)
"""They compute."""

_CONVOLVING = _names("Conv ConvTranspose")
"""They want filters of known number and size."""

RECURRENT = _names("LSTM GRU RNN")
"""Layers that take one step after the other; what they give is watched."""

_ALLOWED = _CARRYING | _COMPARING | _LOGICAL | _COMPUTING

TYPES = {
    onnx.TensorProto.FLOAT,
    onnx.TensorProto.BOOL,
    onnx.TensorProto.INT64,
    onnx.TensorProto.INT32,
    onnx.TensorProto.UINT8,
    onnx.TensorProto.INT8,
    onnx.TensorProto.INT16,
}
INTEGERS = TYPES - {onnx.TensorProto.FLOAT, onnx.TensorProto.BOOL}


class NotTaken(Exception):
    """A graph has something that OpenVINO does not compute as PyTorch does. The text says what."""


def require_taken(
    model: onnx.ModelProto, types: Mapping[str, int], shapes: Mapping[str, Sequence[int | str]]
) -> None:
    """Raise ``NotTaken`` for the first operator that is not the same in OpenVINO.

    ``types`` are the element types of all values, ``shapes`` are theirs as far as they are known.
    """
    for node in every_node(model.graph):
        names = [name for name in (*node.input, *node.output) if name]
        if any(name not in types for name in names):
            raise NotTaken(f"{node.op_type} of a type that is not known")
        for kind in (types[name] for name in names):
            if kind not in TYPES:
                raise NotTaken(f"{node.op_type} of {type_name(kind)}, which it computes in float32")
        if node.op_type == "Cast":
            _require_cast(node, types)
        elif node.op_type in RECURRENT:
            _require_plain(node)
        elif node.op_type in _CONVOLVING:
            _require_known_filters(node, shapes)
        elif node.op_type not in _ALLOWED:
            raise NotTaken(f"{node.op_type} is not known to be the same there")
        elif node.op_type == "Mod" and types[node.output[0]] not in INTEGERS:
            raise NotTaken("Mod of floats is not known to be the same there")
        _require_some(node, shapes)


def _require_some(node: onnx.NodeProto, shapes: Mapping[str, Sequence[int | str]]) -> None:
    """Raise where an operator computes with a tensor that never has any elements.

    OpenVINO takes its result for a constant and computes it when it compiles: where another
    operand is broadcast, that writes beyond memory of no bytes at all.
    """
    if is_safe_when_empty(node):
        return
    if any(0 in shapes.get(name, ()) for name in (node.input[0], node.output[0])):
        raise NotTaken(f"{node.op_type} of a tensor without elements, which may damage its memory")


_BROADCASTING = _names("Where Expand")
"""They move values, and broadcast."""


def is_safe_when_empty(node: onnx.NodeProto) -> bool:
    """Return whether OpenVINO may be given an operator whose tensors have no elements."""
    return only_moves(node) and node.op_type not in _BROADCASTING


def only_moves(node: onnx.NodeProto) -> bool:
    """Return whether an operator moves values, and neither compares nor computes."""
    return node.op_type in _CARRYING or node.op_type == "Cast"


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
            if node.op_type == "Constant":
                yield node.output[0], _content(attribute)


def _content(attribute: onnx.AttributeProto) -> np.ndarray:
    """Return what a constant holds, however it is written."""
    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, onnx.TensorProto):
        return onnx.numpy_helper.to_array(value)
    wide = np.asarray(value)
    return wide.astype(np.float32) if wide.dtype == np.float64 else wide


def every_value(graph: onnx.GraphProto) -> Iterator[onnx.ValueInfoProto]:
    """Yield what is known of the values of a graph, and of the graphs inside of it."""
    yield from (*graph.input, *graph.output, *graph.value_info)
    for node in graph.node:
        for attribute in node.attribute:
            yield from every_value(attribute.g)


def _require_cast(node: onnx.NodeProto, types: Mapping[str, int]) -> None:
    source, target = types[node.input[0]], types[node.output[0]]
    if target in INTEGERS and source == onnx.TensorProto.FLOAT:
        raise NotTaken(f"Cast of float32 to {type_name(target)}: large values differ")


def _require_known_filters(node: onnx.NodeProto, shapes: Mapping[str, Sequence[int | str]]) -> None:
    if any(isinstance(size, str) and size for size in shapes.get(node.input[1], ())):
        raise NotTaken(
            f"{node.op_type} with filters or channels whose number is known only at run time"
        )


_PLAIN: Mapping[str, Sequence[object]] = {
    "hidden_size": (),
    "direction": (b"forward", b"bidirectional"),
    "linear_before_reset": (1,),
    "input_forget": (0,),
    "layout": (0,),
    "activations": ([b"Tanh"], [b"Tanh"] * 2, [b"Relu"], [b"Relu"] * 2),
}
"""Attributes of recurrent layers as PyTorch has them, with what they may be; nothing: anything."""


def _require_plain(node: onnx.NodeProto) -> None:
    given = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    known = all(
        name in _PLAIN and (not _PLAIN[name] or value in _PLAIN[name])
        for name, value in given.items()
    )
    resets_first = node.op_type == "GRU" and "linear_before_reset" not in given
    lengths_or_peepholes = [name for place in (4, 7) for name in node.input[place : place + 1]]
    if not known or resets_first or any(lengths_or_peepholes):
        raise NotTaken(f"{node.op_type} with options that are not known to be the same there")


def type_name(kind: int) -> str:
    """Return the name of an element type."""
    return str(np.dtype(onnx.helper.tensor_dtype_to_np_dtype(kind)))
