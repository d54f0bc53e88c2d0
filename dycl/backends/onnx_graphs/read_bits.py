"""Graphs that read elements as another type of as many bits: in the operators of version 26.

``BitCast`` came with it. Of the operators between, those of 20 take fewer element types and say the
same, but for one.

Other bits are another number altogether, so they are read of what is no result of rounding: of
arguments and weights, and of what comes of these by operators that every runtime rounds alike.
"""

from collections.abc import Iterator
from typing import Any

import onnx
import torch

import dycl.capture.opening  # noqa: F401 - it registers an operator
from dycl.backends.onnx_graphs.splitting import subgraphs
from dycl.capture import CapturedSubDnn
from rewriter.parameters import input_variables

_aten, _dycl = torch.ops.aten, torch.ops.dycl
_EXACT: frozenset[Any] = frozenset({
    _aten.view, _aten.reshape, _aten._unsafe_view, _aten.flatten, _aten.permute, _aten.transpose,
    _aten.t, _aten.expand, _aten.slice, _aten.select, _aten.squeeze, _aten.unsqueeze, _aten.clone,
    _aten.alias, _aten.detach, _aten.contiguous, _aten.cat, _aten.stack, _aten.flip, _aten.where,
    _aten.index, _aten.index_select, _aten.gather, _aten.full, _aten.scalar_tensor,
    _aten.neg, _aten.abs, _aten._to_copy, _aten.to, _aten.mul, _dycl.opened,
})  # fmt: skip
"""What moves numbers, or rounds them as IEEE 754 says."""

_ROUNDED = "the bits of floats that may be rounded in another way"
_FLOATS = {onnx.TensorProto.FLOAT16, onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE}
_NEWER = 26
_CHANGED = frozenset({"GroupNormalization"})
"""What says something else in between."""


def refuse_rounded_bits(exported: torch.export.ExportedProgram) -> None:
    """Raise where the bits of floats are read that may be rounded in another way."""
    for node in exported.graph.nodes:
        if node.target is _aten.view.dtype:
            _require_exact(node.args[0])


def _require_exact(node: torch.fx.Node) -> None:
    """Raise where floats are no exact results of what goes in."""
    if not node.meta["val"].dtype.is_floating_point:
        return
    if node.op != "placeholder" and getattr(node.target, "overloadpacket", None) not in _EXACT:
        raise NotImplementedError(_ROUNDED)
    for operand in node.all_input_nodes:
        if isinstance(operand.meta.get("val"), torch.Tensor):
            _require_exact(operand)


def require_given_bits(subdnn: CapturedSubDnn, model: onnx.ModelProto) -> None:
    """Raise where a sub-DNN that reads bits takes floats that another one may have computed.

    Graphs are kept by what they compute, so this is asked of each sub-DNN that one is for.
    """
    parameters = subdnn.graph.parameters
    arguments = {name for each in parameters for name in input_variables(each.spec)}
    others = [port for port in subdnn.inputs if port.name not in arguments]
    is_rounded = any(port.dtype.is_floating_point for port in others)
    if is_rounded and any(map(_reads_floats, _nodes(model.graph))):
        raise NotImplementedError(_ROUNDED)


def _reads_floats(node: onnx.NodeProto) -> bool:
    """Return whether a node gives the bits of floats; of integers they are right in any case."""
    wanted = {each.i for each in node.attribute if each.name == "to"}
    return node.op_type == "BitCast" and not wanted & _FLOATS


def with_bits_read(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a graph in newer operators, if it reads bits."""
    kinds = {node.op_type for node in _nodes(model.graph) if node.domain == ""}
    if "BitCast" not in kinds:
        return model
    if kinds & _CHANGED:
        raise NotImplementedError(f"elements read as another type, beside {kinds & _CHANGED}")
    made = onnx.ModelProto()
    made.CopyFrom(model)
    for entry in made.opset_import:
        if entry.domain == "":
            entry.version = _NEWER
    return made


def _nodes(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    """Yield the nodes of a graph, and those of what stands in them."""
    for node in graph.node:
        yield node
        for body in subgraphs(node):
            yield from _nodes(body)
