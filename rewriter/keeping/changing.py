"""What changes in kept values from phase to phase: lengths of lists, keys, sizes of tensors."""

from collections.abc import Hashable, Iterable, Iterator
from contextlib import suppress
from functools import reduce

import torch

from rewriter.keeping.describing import Describing, Place
from rewriter.keeping.joining import join
from rewriter.keeping.records import is_element, one_for_all
from rewriter.keeping.shapes import (
    Fixed,
    Gathered,
    Growing,
    Instance,
    Keyed,
    Mapping,
    Members,
    Record,
    Sequence,
    Shape,
    Tensor,
    Unkeepable,
    tensor_shape,
)

MOST_LENGTHS = 2
"""How many lengths a list may have, or sizes a tensor, before they are taken for open."""
_ANY_LENGTH = range(MOST_LENGTHS + 1)


def _parts(shape: Shape, place: Place) -> Iterator[tuple[Place, Shape]]:
    """Return what a shape is made of, with the places."""
    match shape:
        case Sequence():
            for index, item in enumerate(shape.items):
                yield (*place, str(index)), item
        case Mapping():
            for key, item in shape.items:
                yield (*place, repr(key)), item
        case Instance():
            for name, item in shape.attributes:
                yield (*place, name), item
        case _:
            return


def collect_lengths(
    shape: Shape, place: Place, lengths: dict[Place, set[int]], keyed: dict[Place, Shape]
) -> None:
    """Note how long lists are and how they, and what has a key of run time, were left."""
    if isinstance(shape, Sequence) and shape.kind is list:
        # what exists at run time only makes a list be one of them
        of_records = any(isinstance(item, Record) for item in shape.items)
        many = _ANY_LENGTH if of_records else (len(shape.items),)
        lengths.setdefault(place, set()).update(many)
        _note_elements(shape, place, keyed)
    if isinstance(shape, Keyed | Gathered):
        lengths.setdefault(place, set()).update(_ANY_LENGTH)
        keyed[place] = shape
    for within, part in _parts(shape, place):
        collect_lengths(part, within, lengths, keyed)


def _note_elements(shape: Sequence, place: Place, left: dict[Place, Shape]) -> None:
    """Note how a list's elements look: the first call that reads them finds it empty."""
    with suppress(Unkeepable):  # which is said where it is known of all calls
        element = one_for_all(shape.items)
        if element is not None and is_element(element):
            left[place] = join(Growing(element), left.get(place, Growing(element)))


def differing_keys(found: Iterable[tuple[Place, Shape]]) -> dict[Place, Shape | None]:
    """Return how dicts and sets were left that had many combinations of keys, which change, then.

    Raises Unkeepable where their elements are not alike.
    """
    several: dict[Place, dict[Hashable, list[Mapping | Members]]] = {}
    for place, table in (pair for at, shape in found for pair in _tables_within(shape, at)):
        of_dict = tuple(key for key, _ in table.items) if isinstance(table, Mapping) else None
        keys = table.items if of_dict is None else of_dict
        several.setdefault(place, {}).setdefault(keys, []).append(table)
    left: dict[Place, Shape | None] = {}
    for place, by_keys in several.items():
        if len(by_keys) > MOST_LENGTHS:
            tables = (table for alike in by_keys.values() for table in alike)
            left[place] = reduce(join, map(_with_others, tables))
    return left


def _with_others(table: Mapping | Members) -> Shape:
    describing = Describing({}, {})
    if isinstance(table, Mapping):
        return describing.with_other_keys(table)
    return describing.with_other_elements(table)


def _tables_within(shape: Shape, place: Place) -> Iterator[tuple[Place, Mapping | Members]]:
    """Return the dicts with known keys, and known sets, that a value holds, with their places."""
    if isinstance(shape, Mapping | Members):
        yield place, shape
    for within, part in _parts(shape, place):
        yield from _tables_within(part, within)


def tensors_within(shape: Shape, place: Place) -> Iterator[tuple[Place, Tensor]]:
    """Return the tensors that a value holds, with their places."""
    if isinstance(shape, Tensor):
        yield place, shape
    elif isinstance(shape, Fixed) and isinstance(shape.value, torch.Tensor):
        yield place, tensor_shape(shape.value, shared=True)
    for within, part in _parts(shape, place):
        yield from tensors_within(part, within)


def differing_sizes(found: Iterable[tuple[Place, Tensor]]) -> dict[Place, frozenset[int]]:
    """Return in which dimensions tensors that had many sizes differ, by place."""
    shapes: dict[tuple[Place, object, int], set[tuple[int | None, ...]]] = {}
    for place, tensor in found:
        key = (place, tensor.dtype, len(tensor.shape))
        shapes.setdefault(key, set()).add(tensor.shape)
    differing: dict[Place, frozenset[int]] = {}
    for (place, _, _), several in shapes.items():
        if len(several) > MOST_LENGTHS:
            columns = enumerate(zip(*several, strict=True))
            dimensions = frozenset(at for at, column in columns if len(set(column)) > 1)
            differing[place] = differing.get(place, frozenset()) | dimensions
    return differing
