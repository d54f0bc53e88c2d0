"""Graphs for a GPU: which operators do there what they do on the CPU, and where that is asked.

ONNX Runtime's kernels for CUDA were made for speed: an index out of range gives zero, or reads
and writes where it should not; a division of integers by zero gives some number; what is cast to
integers without fitting gives another one (all seen in 1.31 on an H100). On the CPU they raise, or
do as PyTorch does, and PyTorch on the CPU is what a package is measured by. So a graph for the
device asks beside each such operator, and tells in one flag that something is wrong; the loader
then runs the plain graph on the CPU.

    indices ---- out of range? --------------+
       |             |                       v
       +-> Where(it, 0, indices) -> Gather  any -> flag        (True: the plain graph, on the CPU)

A sub-DNN with operators that are not known to be equal runs on the CPU altogether, as do those
whose result may depend on which thread is first.
"""

from collections.abc import Iterator

import onnx
from onnx import TensorProto

from dycl.backends.onnxruntime.device_guards import GUARDS, READ_RESULTS
from dycl.backends.onnxruntime.device_nodes import Nodes, Tensors

FLAG = "on_host"
"""The name of the result that says that a graph is not right for what it was given."""

_EQUAL = frozenset({
    "Abs", "Acos", "Acosh", "Add", "And", "ArgMax", "ArgMin", "Asin", "Asinh", "Atan", "Atanh",
    "AveragePool", "BatchNormalization", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor",
    "Ceil", "Celu", "Clip", "Col2Im", "Compress", "Concat", "Constant", "ConstantOfShape",
    "Conv", "ConvTranspose", "Cos", "Cosh", "CumSum", "DFT", "Einsum", "Elu", "Equal", "Erf",
    "Exp", "Expand", "Flatten", "Floor", "Gelu", "Gemm", "GlobalAveragePool", "Greater",
    "GreaterOrEqual", "GridSample", "GroupNormalization", "HardSigmoid", "HardSwish",
    "Identity", "InstanceNormalization", "IsInf", "IsNaN", "LayerNormalization", "LeakyRelu",
    "Less", "LessOrEqual", "Log", "LogSoftmax", "MatMul", "Max", "Mean", "Min", "Mish", "Mul",
    "Neg", "NonZero", "Not", "Or", "PRelu", "Pad", "Range", "Reciprocal", "Relu", "Reshape",
    "Resize", "Round", "Selu", "Shape", "Sigmoid", "Sin", "Sinh", "Size", "Slice", "Softmax",
    "Softplus", "Softsign", "Split", "Sqrt", "Squeeze", "Sub", "Sum", "Tan", "Tanh",
    "ThresholdedRelu", "Tile", "Transpose", "Trilu", "Unique", "Unsqueeze", "Where", "Xor",
})  # fmt: skip
"""Operators of which CUDA's kernels, or those of the CPU where it has none, do as the CPU's."""


def device_graph(model: onnx.ModelProto) -> tuple[onnx.ModelProto, bool] | None:
    """Return the graph of a sub-DNN for the device, and whether it gives a flag.

    None where it must run on the CPU.
    """
    made = onnx.shape_inference.infer_shapes(model)
    tensors = Tensors(made.graph)
    nodes: list[onnx.NodeProto] = []
    flags: list[str] = []
    for number, node in enumerate(made.graph.node):
        if node.domain or not all(_is_equal_inside(each, tensors) for each in _subgraphs(node)):
            return None
        guard = GUARDS.get(node.op_type)
        if guard is None:
            if node.op_type not in _EQUAL and node.op_type != "If":
                return None
            nodes.append(node)
            continue
        own = Nodes(f"guard_{number}")
        found = guard(node, tensors, own)
        if found is None:
            return None
        nodes += [node, *own.made] if node.op_type in READ_RESULTS else [*own.made, node]
        flags += found
    if not flags:
        return model, False
    own = Nodes("guards")
    result = flags[0]
    for flag in flags[1:]:
        result = own.add("Or", result, flag)
    own.add("Identity", result, name=FLAG)
    del made.graph.node[:], made.graph.value_info[:]
    made.graph.node.extend([*nodes, *own.made])
    made.graph.output.append(onnx.helper.make_tensor_value_info(FLAG, TensorProto.BOOL, []))
    return made, True


def _subgraphs(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def _is_equal_inside(graph: onnx.GraphProto, around: Tensors) -> bool:
    """Return whether a graph in a node has nothing to ask about: an arm of what looks at NaN."""
    tensors = Tensors(graph, around)
    for node in graph.node:
        own = Nodes("inside")
        guard = GUARDS.get(node.op_type)
        if node.domain or not all(_is_equal_inside(each, tensors) for each in _subgraphs(node)):
            return False
        if guard is not None:
            if guard(node, tensors, own) != []:
                return False
        elif node.op_type not in _EQUAL and node.op_type != "If":
            return False
    return True
