"""Maxima, minima and signs of 64-bit integers: ONNX Runtime compares parts of them.

Where two integers have the same upper half, it takes the lower one for an integer with a sign:
2**31 is less than 0 to it, and 2**32 - 1 less than 2**31 (seen in 1.31, on processors with
AVX-512). So times in milliseconds and hashes are sorted out wrongly. Its comparisons are right,
and so are its places of extremes: a maximum is a choice by a comparison, or what is at the place
of the largest.
"""

from collections.abc import Callable
from functools import reduce

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.exact_reductions import axes_of, bits_of, replace
from dycl.backends.onnx_graphs.steps import Nodes

_EXACT_BITS = 31
"""Integers of so many bits have the same upper half where they have the same sign."""

_INT64 = ir.DataType.INT64


def keep_extremes_exact(model: ir.Model) -> None:
    """Change, in place, what finds extremes among 64-bit integers that may be large."""
    for number, node in enumerate(list(model.graph.all_nodes())):
        rule = _RULES.get(node.op_type) if node.domain == "" else None
        if rule is None or _dtype(node) != _INT64 or all(map(_is_small, _operands(node))):
            continue
        nodes = Nodes(f"extreme_{number}")
        replace(node, rule(node, nodes), nodes)


def _operands(node: ir.Node) -> list[ir.Value]:
    given = node.inputs if node.op_type in ("Max", "Min", "Clip") else node.inputs[:1]
    return [value for value in given if value is not None]


def _dtype(node: ir.Node) -> ir.DataType | None:
    """Return the type of the elements that are compared."""
    values = (*_operands(node), *node.outputs)
    return next((value.dtype for value in values if value.dtype), None)


def _is_small(value: ir.Value) -> bool:
    constant = ir.convenience.get_const_tensor(value)
    if constant is None:
        return bits_of(value) <= _EXACT_BITS
    return bool(np.all(np.abs(constant.numpy().astype(np.float64)) < 2.0**_EXACT_BITS))


def _larger(one: ir.Value, other: ir.Value, nodes: Nodes) -> ir.Value:
    return nodes.add("Where", nodes.add("Less", one, other), other, one)


def _smaller(one: ir.Value, other: ir.Value, nodes: Nodes) -> ir.Value:
    return nodes.add("Where", nodes.add("Less", other, one), other, one)


def _maximum(node: ir.Node, nodes: Nodes) -> ir.Value:
    return reduce(lambda one, other: _larger(one, other, nodes), _operands(node))


def _minimum(node: ir.Node, nodes: Nodes) -> ir.Value:
    return reduce(lambda one, other: _smaller(one, other, nodes), _operands(node))


def _clip(node: ir.Node, nodes: Nodes) -> ir.Value:
    value, low, high = (*node.inputs, None, None)[:3]
    assert value is not None
    above = value if low is None else _larger(value, low, nodes)
    return above if high is None else _smaller(above, high, nodes)


def _sign(node: ir.Node, nodes: Nodes) -> ir.Value:
    (value,) = _operands(node)
    zero = nodes.constant(np.array(0, np.int64))
    tests = nodes.add("Greater", value, zero), nodes.add("Less", value, zero)
    above, below = (nodes.add("Cast", test, to=_INT64) for test in tests)
    return nodes.add("Sub", above, below)


def _reduced(node: ir.Node, nodes: Nodes) -> ir.Value:
    """Take what is at the place of the extreme, along one dimension after the other."""
    (value,) = _operands(node)
    if value.shape is None:
        raise NotImplementedError("an extreme of integers in nobody knows how many dimensions")
    find = "ArgMax" if node.op_type == "ReduceMax" else "ArgMin"
    axes = axes_of(node, len(value.shape))
    for axis in axes:
        places = nodes.add(find, value, axis=axis, keepdims=1)
        value = nodes.add("GatherElements", value, places, axis=axis)
    if axes and not node.attributes.get_int("keepdims", 1):
        return nodes.add("Squeeze", value, nodes.constant(np.array(axes, np.int64)))
    return nodes.add("Identity", value)


_RULES: dict[str, Callable[[ir.Node, Nodes], ir.Value]] = {
    "Max": _maximum,
    "Min": _minimum,
    "Clip": _clip,
    "Sign": _sign,
    "ReduceMax": _reduced,
    "ReduceMin": _reduced,
}
