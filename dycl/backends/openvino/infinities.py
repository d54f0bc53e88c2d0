"""Masks of minus infinity, which OpenVINO keeps where they are only moved, added and normalised.

OpenVINO hides NaN and infinities in many operators, so a constant that is infinite is refused, but
for the one use in which it does what PyTorch does: attention and the choice of tokens mask scores
with minus infinity and then take the softmax or the place of the maximum. There a guard watches for
rows that are all minus infinity, of which PyTorch's softmax is NaN.
"""

from collections.abc import Iterable, Mapping

import numpy as np
import onnx

from dycl.backends.openvino.vetting import NotTaken, every_constant

_MOVING: Mapping[str, tuple[int, ...]] = {
    name: places
    for names, places in (
        ("Identity Reshape Transpose Squeeze Unsqueeze Flatten Split Slice Expand Tile", (0,)),
        ("Gather GatherElements GatherND Trilu", (0,)),
        ("Where", (1, 2)),
        ("Add", (0, 1)),
    )
    for name in names.split()
}
"""Operators that keep minus infinity, and the operands that may have it."""

_COMPARING = ("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "IsInf")

_NORMALISING = ("Softmax", "ArgMax")
"""What comes out has no infinities, if a row has a finite number."""


def masked_rows(graph: onnx.GraphProto) -> tuple[tuple[str, int], ...]:
    """Return values and the axis along which they must not be minus infinity everywhere.

    Raises ``NotTaken`` where an infinite constant, or NaN, is used in another way.
    """
    masks = {name for name, values in every_constant(graph) if _is_mask(name, values)}
    rows: list[tuple[str, int]] = []
    for node in graph.node:
        if node.op_type == "ConstantOfShape" and _fills_with_mask(node):
            masks.update(node.output)
            continue
        places = [place for place, name in enumerate(node.input) if name in masks]
        if not places:
            continue
        if node.op_type in _NORMALISING and places == [0]:
            rows.append((node.input[0], _axis(node)))
        elif node.op_type == "Concat" or set(places) <= set(_MOVING.get(node.op_type, ())):
            masks.update(node.output)
        elif node.op_type not in _COMPARING:
            raise _infinite(node.op_type)
    if any(value.name in masks for value in graph.output):
        raise _infinite("a result")
    return tuple(dict.fromkeys(rows))


def require_finite(values: Iterable[np.ndarray]) -> None:
    """Raise ``NotTaken`` where a weight is infinite or NaN."""
    for array in values:
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise _infinite("a weight")


def _infinite(user: str) -> NotTaken:
    return NotTaken(f"{user} with a constant that is infinite or NaN, which it hides in places")


def _is_mask(name: str, values: np.ndarray) -> bool:
    """Return whether a constant is minus infinity somewhere; raise for NaN and infinity."""
    if values.dtype.kind != "f" or np.isfinite(values).all():
        return False
    if np.isnan(values).any() or np.isposinf(values).any():
        raise _infinite(name)
    return True


def _fills_with_mask(node: onnx.NodeProto) -> bool:
    return any(
        _is_mask("ConstantOfShape", onnx.numpy_helper.to_array(attribute.t))
        for attribute in node.attribute
        if attribute.name == "value"
    )


def _axis(node: onnx.NodeProto) -> int:
    default = -1 if node.op_type == "Softmax" else 0
    return next((int(a.i) for a in node.attribute if a.name == "axis"), default)
