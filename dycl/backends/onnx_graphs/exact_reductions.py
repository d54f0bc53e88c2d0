"""Sums and products of integers: ONNX Runtime's go through double precision, and do not wrap.

Beyond 2**53 its sums round, and what has more bits than the type becomes the largest integer
there is (seen in 1.31). So are hashes made, such as ``(tokens * primes).sum(-1) % buckets``. Its
products of matrices are computed in integers, and wrap as PyTorch's do: a sum is a product with a
column of ones. A product is taken half by half.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from onnxscript import ir

from dycl.backends.onnx_graphs.steps import Nodes

_BITS = {ir.DataType.INT64: 53, ir.DataType.INT32: 31}
"""Up to so many bits a sum of integers of a type is exact."""

_NARROW = {
    ir.DataType.BOOL: 1,
    ir.DataType.UINT8: 8,
    ir.DataType.INT8: 8,
    ir.DataType.INT16: 16,
    ir.DataType.INT32: 32,
}

_MOVING = {
    "Reshape", "Transpose", "Slice", "Expand", "Squeeze", "Unsqueeze", "Gather", "Identity",
}  # fmt: skip

_BITS_OF_A_SIZE = 40
"""No tensor has more than 2**40 elements."""

_Size: TypeAlias = int | ir.SymbolicDim


@dataclass(frozen=True, slots=True)
class _Integers:
    """A tensor of integers, with what is known of it."""

    value: ir.Value
    kind: ir.DataType
    sizes: tuple[_Size, ...]


def keep_integers_exact(model: ir.Model) -> None:
    """Change, in place, sums and products of integers that may need too many bits."""
    for number, node in enumerate(list(model.graph.all_nodes())):
        if node.domain == "" and node.op_type == "Einsum":
            _require_products(node)
        if node.domain != "" or node.op_type not in ("ReduceSum", "ReduceProd"):
            continue
        value, kind = node.inputs[0], _kind(node)
        if value is None or kind not in _BITS or _is_exact(node, value, _BITS[kind]):
            continue
        nodes = Nodes(f"exact_{number}")
        replace(node, _reduced(node, _Integers(value, kind, _sizes(value)), nodes), nodes)


def _require_products(node: ir.Node) -> None:
    """Refuse an ``einsum`` that sums integers otherwise than as products of two matrices."""
    kind = _kind(node)
    if kind not in _BITS:
        return
    operands, _, result = node.attributes["equation"].as_string().replace(" ", "").partition("->")
    labels = [set(operand.replace(".", "")) for operand in operands.split(",")]
    summed = set.union(*labels) - set(result)
    if not summed or (len(labels) == 2 and summed <= labels[0] & labels[1]):
        return
    bits = sum(bits_of(value) for value in node.inputs if value is not None)
    if bits + _BITS_OF_A_SIZE > _BITS[kind]:
        raise NotImplementedError("an einsum of integers that are not small; sum() takes them")


def _kind(node: ir.Node) -> ir.DataType | None:
    values = (*node.inputs[:1], *node.outputs)
    return next((value.dtype for value in values if value is not None and value.dtype), None)


def _sizes(value: ir.Value) -> tuple[_Size, ...]:
    if value.shape is None:
        raise NotImplementedError("a sum of integers of which nobody knows how many dimensions")
    return tuple(value.shape)


def _is_exact(node: ir.Node, value: ir.Value, most_bits: int) -> bool:
    """Return whether what is reduced certainly is small enough."""
    bits = bits_of(value)
    if bits == 1 and (node.op_type == "ReduceProd" or most_bits > _BITS_OF_A_SIZE):
        return True
    sizes = _sizes(value)
    reduced = [sizes[axis] for axis in axes_of(node, len(sizes))]
    if node.op_type == "ReduceProd":
        return 0 in reduced or not sizes
    known = [size for size in reduced if isinstance(size, int)]
    count = _BITS_OF_A_SIZE if len(known) < len(reduced) else math.prod(known).bit_length()
    return not sizes or bits + count <= most_bits


def bits_of(value: ir.Value) -> int:
    """Return how many bits the integers of a tensor have."""
    maker = value.producer()
    while maker is not None and maker.op_type in _MOVING and maker.inputs[0] is not None:
        maker = maker.inputs[0].producer()
    if maker is None or maker.op_type not in ("Cast", "Shape") or maker.inputs[0] is None:
        return 64
    if maker.op_type == "Shape":
        return 1  # a product of sizes is a number of elements, and a sum of sizes is smaller
    given = maker.inputs[0].dtype
    return 64 if given is None else _NARROW.get(given, 64)


def axes_of(node: ir.Node, rank: int) -> list[int]:
    """Return the dimensions that are reduced, counted from the front."""
    given = node.inputs[1] if len(node.inputs) > 1 else None
    named = None if given is None else ir.convenience.get_const_tensor(given)
    if given is not None and named is None:
        raise NotImplementedError("a sum of integers over axes known only at run time")
    if named is None or named.size == 0:
        return [] if node.attributes.get_int("noop_with_empty_axes", 0) else list(range(rank))
    return sorted({int(axis) % rank for axis in named.numpy()})


def _reduced(node: ir.Node, integers: _Integers, nodes: Nodes) -> ir.Value:
    axes = axes_of(node, len(integers.sizes))
    reduce = _sum if node.op_type == "ReduceSum" else _product
    for axis in axes:
        integers = reduce(integers, axis, nodes)
    if axes and not node.attributes.get_int("keepdims", 1):
        return nodes.add("Squeeze", integers.value, _integers(nodes, *axes))
    return nodes.add("Identity", integers.value)


def _sum(given: _Integers, axis: int, nodes: Nodes) -> _Integers:
    """Return sums along an axis, which stays as one of size 1."""
    last = len(given.sizes) - 1
    order = list(range(last + 1))
    order[axis], order[last] = last, axis
    turned = given if axis == last else _turned(given, order, nodes)
    one = nodes.constant(np.array(1, given.kind.numpy()))
    size = nodes.add("Shape", turned.value, start=last, end=last + 1)
    column = nodes.add("Concat", size, _integers(nodes, 1), axis=0)
    product = nodes.add("MatMul", turned.value, nodes.add("Expand", one, column))
    total = _described(given.kind, product, (*turned.sizes[:last], 1))
    return total if axis == last else _turned(total, order, nodes)


def _turned(given: _Integers, order: list[int], nodes: Nodes) -> _Integers:
    turned = nodes.add("Transpose", given.value, perm=order)
    return _described(given.kind, turned, tuple(given.sizes[place] for place in order))


def _product(given: _Integers, axis: int, nodes: Nodes) -> _Integers:
    """Return products along an axis, which stays as one of size 1."""
    value, count = given.value, given.sizes[axis]
    if not isinstance(count, int):
        raise NotImplementedError("a product of integers whose number is known only at run time")
    while count > 1:
        half = count // 2
        ends = [(0, half), (half, 2 * half), (2 * half, count)][: 2 + count % 2]
        places = [[_integers(nodes, end) for end in (*pair, axis)] for pair in ends]
        first, second, *odd = (nodes.add("Slice", value, *place) for place in places)
        product = nodes.add("Mul", first, second)
        value = nodes.add("Concat", product, *odd, axis=axis) if odd else product
        count -= half
    return _described(given.kind, value, (*given.sizes[:axis], 1, *given.sizes[axis + 1 :]))


def _integers(nodes: Nodes, *values: int) -> ir.Value:
    return nodes.constant(np.array(values, np.int64))


def _described(kind: ir.DataType, value: ir.Value, sizes: tuple[_Size, ...]) -> _Integers:
    """Say of a new value what other passes ask about it."""
    value.type, value.shape = ir.TensorType(kind), ir.Shape(sizes)
    return _Integers(value, kind, sizes)


def replace(node: ir.Node, new: ir.Value, nodes: Nodes) -> None:
    """Put new nodes in the place of one; ``new`` is its only result from then on."""
    old = node.outputs[0]
    assert node.graph is not None
    new.type, new.shape = old.type, old.shape
    node.graph.insert_before(node, nodes.made)
    old.replace_all_uses_with(new, replace_graph_outputs=True)
    node.graph.remove(node)
