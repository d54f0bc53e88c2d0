"""Graphs that find at least one element: where there is none, the first counts as one.

    places = NonZero(mask)      ->      ranks = Where(mask, 1, [1/4, 0, 0, ...])
                                        largest = ReduceMax(ranks)
                                        places = NonZero(ranks >= largest)

Which it was is one more output: the largest rank.
"""

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

_COUNT = "count"
_OF_NONE = 0.25
"""The rank of the first element, where it counts because no other does."""
_Shape = tuple[int | str, ...]


def finding_one(skeleton: onnx.ModelProto, output: int, dim: int) -> onnx.ModelProto | None:
    """Return a graph whose ``output`` has at least one element along ``dim``.

    Its last output, beside those of ``skeleton``, is a row of one number: 1 where that is what the
    skeleton gives, and less than a half where that gives none there. None where it cannot be told
    that this size is the number of elements of a vector that count.
    """
    graph = skeleton.graph
    for place, node in enumerate(graph.node):
        length = _mask_length(node.input[0], skeleton) if node.op_type == "NonZero" else 0
        if length:
            sizes = _shapes_behind(node, skeleton).get(graph.output[output].name, ())
            if len(sizes) > dim and sizes[dim] == _COUNT:
                return _clamped(skeleton, place, length)
    return None


def _mask_length(name: str, model: onnx.ModelProto) -> int:
    """Return how many truths a value is a vector of; 0 if it is none, or that is not known."""
    inferred = onnx.shape_inference.infer_shapes(model).graph
    kinds = {v.name: v.type.tensor_type for v in (*inferred.value_info, *inferred.input)}
    kind = kinds.get(name)
    if kind is None or kind.elem_type != TensorProto.BOOL or not kind.HasField("shape"):
        return 0
    return kind.shape.dim[0].dim_value if len(kind.shape.dim) == 1 else 0


def _shapes_behind(found: NodeProto, model: onnx.ModelProto) -> Mapping[str, _Shape]:
    """Return the shapes of what has as many elements as were found along some dimension."""
    constants = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    shapes: dict[str, _Shape] = {found.output[0]: (1, _COUNT)}
    for node in model.graph.node:
        given = shapes.get(node.input[0]) if node.input else None
        if given is not None:
            more = [constants.get(name) for name in node.input[1:]]
            shape = _shape_after(node.op_type, given, more)
            if shape is not None:
                shapes[node.output[0]] = shape
    return shapes


def _shape_after(operator: str, given: _Shape, more: Sequence[np.ndarray | None]) -> _Shape | None:
    """Return the shape of what an operator makes, None of one that may have another size."""
    match operator, more:
        case (("Identity" | "Cast"), []):
            return given
        case "Squeeze", [np.ndarray() as axes]:
            gone = {int(axis) % len(given) for axis in axes}
            return tuple(size for place, size in enumerate(given) if place not in gone)
        case "Reshape", [np.ndarray() as sizes]:
            return _reshaped(given, [int(size) for size in sizes])
        case _:
            return None


def _reshaped(given: _Shape, sizes: Sequence[int]) -> _Shape | None:
    """Return the shape where the one size that is left open is the count."""
    numbers = [size for size in given if isinstance(size, int)]
    fixed = [size for size in sizes if size > 0]
    if len(fixed) != len(sizes) - 1 or -1 not in sizes or prod(numbers) != prod(fixed):
        return None
    return tuple(_COUNT if size == -1 else size for size in sizes)


def _clamped(model: onnx.ModelProto, place: int, length: int) -> onnx.ModelProto:
    """Return the graph in which the ``NonZero`` at a place finds something in such a vector."""
    clamped = onnx.ModelProto()
    clamped.CopyFrom(model)
    graph = clamped.graph
    found = graph.node[place]
    mask, name = found.input[0], f"{found.output[0]}_clamped"
    names = ("one", "first", "ranks", "largest", "counting")
    one, first, ranks, largest, counting = (f"{name}_{what}" for what in names)
    without = np.zeros(length, np.float32)
    without[0] = _OF_NONE
    graph.initializer.append(numpy_helper.from_array(np.ones(1, np.float32), one))
    graph.initializer.append(numpy_helper.from_array(without, first))
    nodes = [
        helper.make_node("Where", [mask, one, first], [ranks]),
        helper.make_node("ReduceMax", [ranks], [largest], keepdims=1),
        helper.make_node("GreaterOrEqual", [ranks, largest], [counting]),
    ]
    found.input[0] = counting
    rest = [*graph.node[:place], *nodes, *graph.node[place:]]
    del graph.node[:]
    graph.node.extend(rest)
    graph.output.append(helper.make_tensor_value_info(largest, TensorProto.FLOAT, [1]))
    return clamped
