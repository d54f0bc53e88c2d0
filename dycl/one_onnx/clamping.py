"""Graphs that find at least one element: where none counts, all do.

    places = NonZero(mask)      ->      any = ReduceMax(mask)
                                        places = NonZero(mask == any)

Which it was is one more output. The operators for truths are the fastest that there are; what
comes of elements that do not count is dropped, so there must not be many.
"""

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

_COUNT = "count"
_MOST = 1024
"""Elements of a vector all of which may count; products of all pairs are a few megabytes then."""
_Shape = tuple[int | str, ...]


def finding_one(skeleton: onnx.ModelProto, output: int, dim: int) -> onnx.ModelProto | None:
    """Return a graph whose ``output`` has at least one element along ``dim``.

    Its last output, beside those of ``skeleton``, is a row of one truth: whether that is what the
    skeleton gives, which gives none there otherwise. None where it cannot be told that this size is
    the number of elements of a vector that count, and for long vectors.
    """
    graph = skeleton.graph
    for place, node in enumerate(graph.node):
        if node.op_type == "NonZero" and 0 < _mask_length(node.input[0], skeleton) <= _MOST:
            sizes = _shapes_behind(node, skeleton).get(graph.output[output].name, ())
            if len(sizes) > dim and sizes[dim] == _COUNT:
                return _clamped(skeleton, place)
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


def _clamped(model: onnx.ModelProto, place: int) -> onnx.ModelProto:
    """Return the graph in which the ``NonZero`` at a place finds something."""
    clamped = onnx.ModelProto()
    clamped.CopyFrom(model)
    graph = clamped.graph
    found = graph.node[place]
    mask, name = found.input[0], f"{found.output[0]}_clamped"
    any_counts, counting = f"{name}_any", f"{name}_counting"
    nodes = [
        helper.make_node("ReduceMax", [mask], [any_counts], keepdims=1),
        helper.make_node("Equal", [mask, any_counts], [counting]),
    ]
    found.input[0] = counting
    rest = [*graph.node[:place], *nodes, *graph.node[place:]]
    del graph.node[:]
    graph.node.extend(rest)
    graph.output.append(helper.make_tensor_value_info(any_counts, TensorProto.BOOL, [1]))
    return clamped
