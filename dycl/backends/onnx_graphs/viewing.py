"""The same elements in another shape, in as few operators as possible.

Squeezing, adding dimensions, slices of everything and the like cost a call of a kernel each, a
microsecond, which is much beside a gate of ten numbers. Where the shapes are known, a chain of them
is one reshape, or nothing. One size may be that of run time, where only dimensions of one come, go
and change places: nothing of that can raise.
"""

from collections.abc import Sequence

import numpy as np
from onnxscript import ir

_RESHAPING = {"Reshape", "Squeeze", "Unsqueeze", "Flatten"}
_SAME_IF_SAME_SHAPE = {"Expand", "Identity"}
_WHAT_IS_LEFT = -1

Shape = tuple[int | str, ...]
"""Sizes; those of run time by the names that the graph has for them."""


def join_views(model: ir.Model, *, with_names: bool) -> None:
    """Change, in place, chains of operators that keep all elements in their order.

    ``with_names`` says whether sizes of one name are equal whatever they are at run time.
    """
    if with_names:
        _name_what_is_found(model)
    views = _Views(with_names)
    sources: dict[ir.Value, ir.Value] = {}
    for number, node in enumerate(list(model.graph)):
        if node.domain != "" or len(node.outputs) != 1 or not views.is_view(node):
            continue
        x, result = node.inputs[0], node.outputs[0]
        assert x is not None
        source = sources.get(x, x)
        shape = views.shape(result)
        assert shape is not None
        sizes = _stated(shape)
        if views.shape(source) == shape:
            result.replace_all_uses_with(source, replace_graph_outputs=True)
            sources[result] = source
        elif sizes is not None and (source is not x or node.op_type == "Transpose"):
            reshaped = _reshape(model.graph, node, source, sizes, f"view_{number}")
            sources[reshaped] = source
        else:
            sources[result] = source


def _name_what_is_found(model: ir.Model) -> None:
    """Give the places found in a vector, which are one row, the size of the column made of it."""
    for node in model.graph:
        maker = node.inputs[0].producer() if node.op_type == "Reshape" and node.inputs[0] else None
        if maker is None or maker.op_type != "NonZero" or maker.domain != "":
            continue
        row, column = maker.outputs[0], node.outputs[0].shape
        is_vector = maker.inputs[0] is not None and len(maker.inputs[0].shape or ()) == 1
        if is_vector and column is not None and len(column) == 2 and column[1] == 1:
            row.shape = ir.Shape([1, column[0]])


class _Views:
    """What is known of shapes."""

    def __init__(self, with_names: bool) -> None:
        self._with_names = with_names

    def shape(self, value: ir.Value | None) -> Shape | None:
        """Return the shape of a value, None where it is not known well enough."""
        if value is None or value.shape is None:
            return None
        sizes = tuple(size if isinstance(size, int) else size.value for size in value.shape)
        is_known = all(isinstance(s, int) or (s is not None and self._with_names) for s in sizes)
        return tuple(size for size in sizes if size is not None) if is_known else None

    def is_view(self, node: ir.Node) -> bool:
        """Return whether a result is known to have the elements of the input, in its order."""
        x = node.inputs[0] if node.inputs else None
        before, after = self.shape(x), self.shape(node.outputs[0])
        if before is None or after is None:
            return False
        has_names = any(isinstance(size, str) for size in (*before, *after))
        match node.op_type:
            case kind if kind in _RESHAPING:
                return not has_names or _but_ones(before) == _but_ones(after)
            case kind if kind in _SAME_IF_SAME_SHAPE:
                return before == after and not has_names
            case "Slice":
                return (
                    before == after and _goes_forward(node) and not (has_names and _is_open(node))
                )
            case "Transpose":
                order = node.attributes["perm"].as_ints() if "perm" in node.attributes else ()
                moved = [axis for axis in order if before[axis] != 1]
                return bool(order) and moved == sorted(moved)
            case _:
                return False


def _goes_forward(node: ir.Node) -> bool:
    steps = node.inputs[4] if len(node.inputs) > 4 else None
    if steps is None:
        return True
    return steps.const_value is not None and bool((steps.const_value.numpy() > 0).all())


def _is_open(node: ir.Node) -> bool:
    """Return whether where a slice begins or ends is known only at run time."""
    return any(place is not None and place.const_value is None for place in node.inputs[1:])


def _but_ones(shape: Shape) -> Shape:
    return tuple(size for size in shape if size != 1)


def _stated(shape: Shape) -> list[int] | None:
    """Return a shape as Reshape takes it, None where that leaves sizes open."""
    names = [size for size in shape if isinstance(size, str)]
    if len(names) > 1 or (names and 0 in shape):
        return None
    return [size if isinstance(size, int) else _WHAT_IS_LEFT for size in shape]


def _reshape(
    graph: ir.Graph, node: ir.Node, source: ir.Value, sizes: Sequence[int], name: str
) -> ir.Value:
    """Put a reshape of ``source`` in the place of a node."""
    old = node.outputs[0]
    shape = ir.node("Constant", [], {"value": ir.tensor(np.array(sizes, np.int64))})
    made = ir.node("Reshape", [source, shape.outputs[0]], {"allowzero": 1})
    for part, inner in zip(("shape", "value"), (shape, made), strict=True):
        inner.outputs[0].name = f"{name}_{part}"
    new = made.outputs[0]
    new.type, new.shape = old.type, old.shape
    graph.insert_before(node, [shape, made])
    old.replace_all_uses_with(new, replace_graph_outputs=True)
    return new
