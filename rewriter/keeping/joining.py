"""What looks like either of two shapes; what elements look like whose number changes."""

from dataclasses import replace

import torch

from rewriter.keeping.shapes import (
    Fixed,
    Gathered,
    Growing,
    Instance,
    Keyed,
    Mapping,
    Number,
    Record,
    Sequence,
    Shape,
    Tensor,
    Text,
    Unkeepable,
    structure,
    tensor_shape,
)


def join(left: Shape, right: Shape) -> Shape:
    """Return the shape of what looks like either of two shapes of one structure."""
    match left, right:
        case Fixed(), Fixed() if left == right:
            return left
        case Sequence(), Sequence():
            pairs = zip(left.items, right.items, strict=True)
            return replace(left, items=tuple(join(one, two) for one, two in pairs))
        case Mapping(), Mapping():
            both = zip(left.items, right.items, strict=True)
            pairs_of = tuple((key, join(one, two)) for (key, one), (_, two) in both)
            return replace(left, items=pairs_of)
        case Keyed(), Keyed():
            key, value = join_elements(left.key, right.key), join_elements(left.value, right.value)
            return replace(left, key=key, value=value)
        case Instance(kind, ours), Instance(_, others):
            return Instance(kind, _joined(ours, others))
        case Record(kind, ours), Record(_, others):
            return Record(kind, _joined(ours, others))
        case Growing(), Growing():
            return Growing(join_elements(left.element, right.element))
        case Gathered(), Gathered():
            return Gathered(join_elements(left.element, right.element))
        case ((Fixed() | Tensor() | Number() | Text()), (Fixed() | Tensor() | Number() | Text())):
            return _join_leaves(left, right)
        case _:
            return left


def _joined(
    left: tuple[tuple[str, Shape], ...], right: tuple[tuple[str, Shape], ...]
) -> tuple[tuple[str, Shape], ...]:
    pairs = zip(left, right, strict=True)
    return tuple((name, join(one, two)) for (name, one), (_, two) in pairs)


def join_elements(left: Shape | None, right: Shape | None) -> Shape | None:
    """Return how the elements of a growing list look. Raises Unkeepable where they differ."""
    if left is None or right is None:
        return changing(left or right)
    if structure(left) != structure(right):
        raise Unkeepable("the elements of a container that grows from call to call differ")
    return changing(join(left, right))


def changing(shape: Shape | None) -> Shape | None:
    """Return a shape with all its numbers, strings and tensors taken as changing."""
    match shape:
        case Fixed():
            return _changing_leaf(shape)
        case Sequence():
            items = tuple(part for item in shape.items if (part := changing(item)) is not None)
            return replace(shape, items=items)
        case Record():
            return Record(shape.kind, tuple((n, changing(v) or v) for n, v in shape.fields))
        case Tensor():
            return Tensor(shape.dtype, shape.shape, shape.stride, True)
        case _:
            return shape


def _join_leaves(
    left: Fixed | Tensor | Number | Text, right: Fixed | Tensor | Number | Text
) -> Shape:
    one, two = _changing_leaf(left), _changing_leaf(right)
    if isinstance(one, Tensor) and isinstance(two, Tensor):
        return Tensor(one.dtype, one.shape, one.stride, one.shared or two.shared)
    return one


def _changing_leaf(shape: Fixed | Tensor | Number | Text) -> Shape:
    if not isinstance(shape, Fixed):
        return shape
    if type(shape.value) in (bool, int, float):
        return Number(type(shape.value))
    if type(shape.value) is str:
        return Text()
    if isinstance(shape.value, torch.Tensor):
        return tensor_shape(shape.value, shared=True)
    return shape
