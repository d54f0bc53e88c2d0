"""Objects of users' classes, and dicts with certain keys, in containers whose elements change."""

from collections.abc import Container, Iterable
from operator import itemgetter

import torch

from rewriter.keeping.joining import join, join_elements
from rewriter.keeping.shapes import (
    Fixed,
    Growing,
    Instance,
    Keyed,
    Mapping,
    Number,
    Phase,
    Record,
    Sequence,
    Shape,
    Tensor,
    Text,
    Unkeepable,
    is_list,
    parts_of,
)


def as_record(shape: Shape) -> Shape:
    """Return what an object of known structure is in a container whose elements change."""
    match shape:
        case Instance(kind, named):
            return Record(kind, tuple(sorted(named, key=itemgetter(0))))  # as in their host types
        case Mapping(kind, pairs) if kind is dict and all(type(key) is str for key, _ in pairs):
            return Record(dict, tuple((str(key), item) for key, item in pairs))
        case _:
            return shape


def require_apart(shapes: Iterable[Shape]) -> None:
    """Refuse objects of one class in several containers, and outside of any. Raises Unkeepable.

    They may be the same ones: what is put into one would have to suit the others.
    """
    met: set[type] = set()
    pending = list(shapes)
    _require_inside(pending)
    while pending:
        shape = pending.pop()
        parts = parts_of(shape)
        kinds = {part.kind for part in parts if isinstance(part, Record)}
        if kinds and not (isinstance(shape, Growing | Keyed) or is_list(shape)):
            _require_inside(parts)
        for kind in kinds & met:
            raise Unkeepable(f"several containers of {kind.__name__} objects are kept")
        met |= kinds
        pending += parts


def require_unwritten(container: Shape, written: Container[int]) -> None:
    """Refuse tensors that calls write in place: a container that grows would have copies.

    ``written`` is the memory of such tensors of the model. Raises Unkeepable.
    """
    if _written_within([container], written):
        raise Unkeepable("a tensor that calls write in place is in a container that grows")


def join_phases(known: Phase, found: Phase, written: Container[int]) -> Phase:
    """Return how what is kept looks that looks either way. Raises Unkeepable.

    A tensor that calls write in place, and that others hold, is not one of several.
    """
    joined = tuple(join(one, two) for one, two in zip(known, found, strict=True))
    if _written_within(joined, written) < _written_within(known, written):
        raise Unkeepable("a tensor that calls write in place is replaced in what else holds it")
    return joined


def _written_within(shapes: Iterable[Shape], written: Container[int]) -> int:
    """Return at how many places there is a tensor of the model with such memory."""
    count, pending = 0, list(shapes)
    while pending:
        shape = pending.pop()
        held = shape.value if isinstance(shape, Fixed) else None
        if isinstance(held, torch.Tensor) and held.untyped_storage().data_ptr() in written:
            count += 1
        pending += parts_of(shape)
    return count


def _require_inside(shapes: Iterable[Shape]) -> None:
    for shape in shapes:
        if isinstance(shape, Record):
            word = shape.kind.__name__
            raise Unkeepable(f"a {word} known only at run time cannot be kept")


def one_for_all(shapes: Iterable[Shape]) -> Shape | None:
    """Return how all elements look, None where there are none. Raises Unkeepable."""
    found: Shape | None = None
    for shape in shapes:
        found = join_elements(found, as_record(shape))
    return found


def is_element(shape: Shape) -> bool:
    """Return whether a growing list may hold what looks so."""
    if isinstance(shape, Sequence):
        return issubclass(shape.kind, tuple) and all(map(is_element, shape.items))
    if isinstance(shape, Record):
        return all(not isinstance(v, Record) and is_element(v) for _, v in shape.fields)
    return isinstance(shape, Number | Text | Tensor)
