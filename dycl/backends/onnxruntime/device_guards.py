"""What graphs for a GPU ask beside operators: whether the device does there what the CPU does.

Each guard takes an operator, what is known of tensors, and where to put nodes. It returns flags
that are true where something is wrong, none where all is well, or None where the operator must run
on the CPU. What kernels do instead was seen in ONNX Runtime 1.31 on an H100.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto

from dycl.backends.onnxruntime.device_nodes import Content, Nodes, Tensors

_FLOATS = (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16)

_INT64 = TensorProto.INT64
_FAR = np.iinfo(np.int64).max

_EXACT = 2.0**23
"""Integers below, and sums of them below, are the same in single precision."""

_RANGES: Mapping[int, tuple[float, float]] = {
    TensorProto.INT64: (-(2.0**63), 2.0**63),
    TensorProto.INT32: (-(2.0**31), 2.0**31),
    TensorProto.INT16: (-(2.0**15), 2.0**15),
    TensorProto.INT8: (-(2.0**7), 2.0**7),
    TensorProto.UINT8: (0.0, 2.0**8),
}
"""From and below which floats fit integers."""


def _lookup(node: onnx.NodeProto, tensors: Tensors, nodes: Nodes) -> list[str] | None:
    """Guard ``Gather`` and ``GatherElements``, whose indices are along one axis."""
    sizes, axis = tensors.shape(node.input[0]), _attribute(node, "axis", 0)
    if not sizes:
        return None
    if sizes[axis] is not None:
        # a number: beside a row of one, an index that is alone would become a row
        return _in_range(node, np.array(sizes[axis], np.int64), tensors, nodes)
    if node.op_type != "Gather":
        return None
    # of an unknown size: Gather alone reads nothing where an index is out of range
    start = axis % len(sizes)
    end = nodes.add("Shape", node.input[0], start=start, end=start + 1)
    return [nodes.any(_wrong(node, nodes.add("Neg", end), end, tensors, nodes))]


def _lookup_by_rows(node: onnx.NodeProto, tensors: Tensors, nodes: Nodes) -> list[str] | None:
    """Guard ``GatherND`` and ``ScatterND``: rows of indices, one for each of the first axes."""
    sizes, places = tensors.shape(node.input[0]), tensors.shape(node.input[1])
    if not sizes or not places or not places[-1] or _attribute(node, "batch_dims", 0):
        return None
    ends = sizes[: places[-1]]
    return _in_range(node, np.array(ends, np.int64), tensors, nodes) if all(ends) else None


def _in_range(
    node: onnx.NodeProto, ends: Content, tensors: Tensors, nodes: Nodes
) -> list[str] | None:
    """Ask whether all indices are in range, and put zero for those that are not."""
    known = tensors.constant(node.input[1])
    if known is not None and np.all((-ends <= known) & (known < ends)):
        return []
    if not ends.all():
        return None  # nothing is in range, not even zero
    wrong = _wrong(node, nodes.constant(-ends), nodes.constant(ends), tensors, nodes)
    zero = nodes.constant(np.array(0, np.int64))
    node.input[1] = nodes.add("Where", wrong, zero, _wide(node.input[1], tensors, nodes))
    return [nodes.any(wrong)]


def _wrong(node: onnx.NodeProto, below: str, end: str, tensors: Tensors, nodes: Nodes) -> str:
    """Return where indices are out of range."""
    indices = _wide(node.input[1], tensors, nodes)
    low, high = nodes.add("Less", indices, below), nodes.add("GreaterOrEqual", indices, end)
    return nodes.add("Or", low, high)


def _wide(indices: str, tensors: Tensors, nodes: Nodes) -> str:
    is_wide = tensors.kind(indices) == TensorProto.INT64
    return indices if is_wide else nodes.add("Cast", indices, to=TensorProto.INT64)


def _scatter_by_rows(node: onnx.NodeProto, tensors: Tensors, nodes: Nodes) -> list[str] | None:
    """Guard ``ScatterND``: two threads must not write to one place."""
    places, known = tensors.shape(node.input[1]), tensors.constant(node.input[1])
    is_one = places is not None and all(size == 1 for size in places[:-1])
    is_known = known is not None and _are_distinct(known)
    return _lookup_by_rows(node, tensors, nodes) if _any_order(node, is_one or is_known) else None


def _are_distinct(places: Content) -> bool:
    """Return whether rows are places of their own; -1 may be the place that another number is."""
    rows = places.reshape(-1, places.shape[-1])
    is_plain = bool(np.all(rows >= 0) or np.all(rows < 0))
    return is_plain and len(np.unique(rows, axis=0)) == len(rows)


def _any_order(node: onnx.NodeProto, are_distinct: bool) -> bool:
    """Return whether the order of writes is all the same. Of NaN there are other maxima."""
    reduction = _attribute(node, "reduction", b"none")
    return reduction in (b"add", b"mul") or (are_distinct and reduction == b"none")


def _scatter(node: onnx.NodeProto, tensors: Tensors, nodes: Nodes) -> list[str] | None:
    """Guard ``ScatterElements``: as above."""
    places, axis = tensors.shape(node.input[1]), _attribute(node, "axis", 0)
    is_one = places is not None and len(places) > 0 and places[axis] == 1
    return _lookup(node, tensors, nodes) if _any_order(node, is_one) else None


def _division(node: onnx.NodeProto, tensors: Tensors, nodes: Nodes) -> list[str] | None:
    """Guard ``Div`` and ``Mod`` of integers."""
    kind = tensors.kind(node.input[1]) or tensors.kind(node.input[0])
    if kind is None:
        return None
    if kind in _FLOATS:
        return []
    known = tensors.constant(node.input[1])
    if known is not None and np.all(known != 0):
        return []
    zero = nodes.constant(np.array(0, onnx.helper.tensor_dtype_to_np_dtype(kind)))
    return [nodes.any(nodes.add("Equal", node.input[1], zero))]


def _cast(node: onnx.NodeProto, tensors: Tensors, nodes: Nodes) -> list[str] | None:
    """Guard ``Cast`` and ``CastLike`` from floats to integers."""
    kind = tensors.kind(node.input[0])
    wanted = _attribute(node, "to", None) or tensors.kind(node.input[1])
    if kind is None or wanted is None:
        return None
    if kind not in _FLOATS or wanted in _FLOATS or wanted == TensorProto.BOOL:
        return []
    if wanted not in _RANGES:
        return None
    low, high = _RANGES[wanted]
    x = node.input[0]
    if kind != TensorProto.DOUBLE:
        x, kind = nodes.add("Cast", x, to=TensorProto.FLOAT), TensorProto.FLOAT
    dtype = onnx.helper.tensor_dtype_to_np_dtype(kind)
    above = nodes.add("GreaterOrEqual", x, nodes.constant(np.array(low, dtype)))
    below = nodes.add("Less", x, nodes.constant(np.array(high, dtype)))
    return [nodes.any(nodes.add("Not", nodes.add("And", above, below)))]


def _order(node: onnx.NodeProto, tensors: Tensors, nodes: Nodes) -> list[str] | None:
    """Guard ``TopK``: NaN, and equal elements, which threads put into any order."""
    kind = tensors.kind(node.input[0])
    count, axis = tensors.constant(node.input[1]), _attribute(node, "axis", -1)
    is_read = bool(node.output[0]) and _attribute(node, "sorted", 1)
    if kind is None or count is None or count.item() == 0 or not is_read:
        return None
    values, along = node.output[0], nodes.constant(np.array([axis], np.int64))

    def part(start: int, end: int) -> str:
        ends = [nodes.constant(np.array([place], np.int64)) for place in (start, end)]
        return nodes.add("Slice", values, *ends, along)

    equal = nodes.add("Equal", part(0, -1), part(1, _FAR))
    reaches = "GreaterOrEqual" if _attribute(node, "largest", 1) else "LessOrEqual"
    reached = nodes.add("Cast", nodes.add(reaches, node.input[0], part(-1, _FAR)), to=_INT64)
    total = nodes.add("ReduceSum", reached, along)
    more = nodes.add("Greater", total, nodes.constant(count.astype(np.int64)))
    return [nodes.any(equal), nodes.any(more), *(_without_nan(node, tensors, nodes) or [])]


def _pool(node: onnx.NodeProto, tensors: Tensors, nodes: Nodes) -> list[str] | None:
    """Guard maxima, which are of finite numbers: NaN and infinities have other ones."""
    kind = tensors.kind(node.input[0])
    if kind not in _FLOATS:
        return None
    x = node.input[0]
    if kind != TensorProto.DOUBLE:
        x, kind = nodes.add("Cast", x, to=TensorProto.FLOAT), TensorProto.FLOAT
    total = nodes.add("ReduceSumSquare", x, keepdims=0)
    dtype = onnx.helper.tensor_dtype_to_np_dtype(kind)
    return [nodes.add("Not", nodes.add("Less", total, nodes.constant(np.array(np.inf, dtype))))]


def _power(node: onnx.NodeProto, tensors: Tensors, nodes: Nodes) -> list[str] | None:
    """Take powers of floats: those of integers are computed as floats, and cut off."""
    return [] if tensors.kind(node.input[0]) in _FLOATS else None


def _reduction(node: onnx.NodeProto, tensors: Tensors, nodes: Nodes) -> list[str] | None:
    """Guard reductions of integers, which are computed in single precision."""
    kind, operator = tensors.kind(node.input[0]), node.op_type
    if kind is None:
        return None
    if kind in _FLOATS or _is_of_truths(node, tensors):
        return []
    one = nodes.constant(np.ones((), np.float32))
    sizes = nodes.add("Abs", nodes.add("Cast", node.input[0], to=TensorProto.FLOAT))
    if operator in ("ReduceSum", "ReduceProd"):
        factors = nodes.add("Max", sizes, one) if operator == "ReduceProd" else sizes
        reduced = onnx.NodeProto()
        reduced.CopyFrom(node)
        reduced.input[0], reduced.name = factors, ""
        reduced.output[:] = [sizes := f"{factors}_reduced"]
        nodes.made.append(reduced)
    elif operator not in ("ReduceMax", "ReduceMin"):
        return None
    bound = nodes.constant(np.array(_EXACT, np.float32))
    return [nodes.any(nodes.add("Not", nodes.add("Less", sizes, bound)))]


def _is_of_truths(node: onnx.NodeProto, tensors: Tensors) -> bool:
    """Return whether zeros and ones are counted, or the largest or smallest of them is taken."""
    maker, count = tensors.maker(node.input[0]), tensors.count(node.input[0])
    if maker is None or maker.op_type != "Cast":
        return False
    is_few = node.op_type == "ReduceSum" and count is not None and count < _EXACT
    is_small = is_few or node.op_type in ("ReduceMax", "ReduceMin")
    return is_small and tensors.kind(maker.input[0]) == TensorProto.BOOL


def _norm(node: onnx.NodeProto, tensors: Tensors, nodes: Nodes) -> list[str] | None:
    """Take norms of more than one number each: of one its sign would stay."""
    before, after = tensors.count(node.input[0]), tensors.count(node.output[0])
    is_plain = tensors.kind(node.input[0]) in _FLOATS and None not in (before, after)
    return [] if is_plain and before != after else None


def _recurrent(node: onnx.NodeProto, tensors: Tensors, nodes: Nodes) -> list[str] | None:
    """Take layers as PyTorch has them: cuDNN's have nothing else."""
    lengths, weights = node.input[4:5], node.input[7:8]
    others = {"activations", "activation_alpha", "activation_beta", "clip", "input_forget"}
    is_plain = not others & {attribute.name for attribute in node.attribute}
    has_reset = node.op_type != "GRU" or _attribute(node, "linear_before_reset", 0)
    is_known = is_plain and has_reset and not _attribute(node, "layout", 0)
    return [] if is_known and not any(lengths) and not any(weights) else None


def _without_nan(node: onnx.NodeProto, tensors: Tensors, nodes: Nodes) -> list[str] | None:
    """Guard what puts NaN elsewhere."""
    kind = tensors.kind(node.input[0])
    if kind is None:
        return None
    return [nodes.any(nodes.add("IsNaN", node.input[0]))] if kind in _FLOATS else []


def _attribute(node: onnx.NodeProto, name: str, default: Any) -> Any:
    for attribute in node.attribute:
        if attribute.name == name:
            return onnx.helper.get_attribute_value(attribute)
    return default


READ_RESULTS = ("TopK",)
"""Operators whose guards look at what came of them."""

GUARDS: Mapping[str, Callable[[onnx.NodeProto, Tensors, Nodes], list[str] | None]] = {
    "Gather": _lookup,
    "GatherElements": _lookup,
    "GatherND": _lookup_by_rows,
    "ScatterND": _scatter_by_rows,
    "ScatterElements": _scatter,
    "Div": _division,
    "Mod": _division,
    "Cast": _cast,
    "CastLike": _cast,
    "Sign": _without_nan,
    "Pow": _power,
    "ReduceSum": _reduction,
    "ReduceProd": _reduction,
    "ReduceMax": _reduction,
    "ReduceMin": _reduction,
    "ReduceMean": _reduction,
    "ReduceSumSquare": _reduction,
    "ReduceL1": _norm,
    "ReduceL2": _norm,
    "TopK": _order,
    "MaxPool": _pool,
    "GlobalMaxPool": _pool,
    "LSTM": _recurrent,
    "GRU": _recurrent,
    "RNN": _recurrent,
}
"""What to ask beside operators: each returns flags, none where all is well, or None where the
operator must run on the CPU."""
