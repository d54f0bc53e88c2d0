"""What is read and written at once, where one of both lies at integers of run time.

PyTorch writes element by element, and may read some that it has just written: ``y[i] += y[:, 0]``.
The program has copies of what is read. That is the same where it is none of the elements that are
written, or each at its own place.
"""

import torch

from rewriter.chosen_places import ChosenPlaces, has_own_elements
from rewriter.size_expressions import is_fixed, key_of, keys_of
from rewriter.storages import Storages, same_view, storage_key
from rewriter.values import ScalarValue, Value


def may_overlap_partly(storages: Storages, written: ChosenPlaces, read: torch.Tensor) -> bool:
    """Return whether a tensor may have some elements of what is written, at other places."""
    source = written.source
    if storage_key(read) != storage_key(source) and not storages.may_coincide(read, source):
        return False
    if all(size == 1 for size, _ in written.layout):
        return False
    if storage_key(read) == storage_key(source):
        return not (are_apart(read, source) or written.is_apart_or_all_of(read))
    if not has_own_elements(source):
        return True
    chosen = storages.chosen.get(storage_key(read))
    if chosen is not None:
        alike = same_view(chosen.source, source) and same_view(chosen.part, read)
        in_order = alike and _are_in_order(written, chosen)
        return not (in_order or are_apart(chosen.source, source))
    if storages.may_be_other_view(read, source):
        return True
    layout = [*zip(keys_of(read.shape), keys_of(read.stride()), strict=True)]
    return layout != written.layout or any(
        not same_view(each.source, source) or each.dimensions != written.dimensions
        for each in storages.chosen_among(read)
    )


def is_one_element(tensor: torch.Tensor) -> bool:
    """Return whether a tensor surely has one element."""
    return all(size == 1 for size in keys_of(tensor.shape))


def are_apart(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Return whether two views lie in different stretches of one memory."""
    if storage_key(one) != storage_key(other) or one.dtype != other.dtype:
        return False
    first, second = _stretch(one), _stretch(other)
    if first is None or second is None:
        return False
    return first[1] < second[0] or second[1] < first[0]


def _stretch(tensor: torch.Tensor) -> tuple[int, int] | None:
    """Return the first and last place of a view in memory, None if they are not known."""
    start = key_of(tensor.storage_offset())
    if not is_fixed(tensor) or not isinstance(start, int):
        return None
    steps = zip(tensor.shape, tensor.stride(), strict=True)
    return start, start + sum(int(step) * (int(size) - 1) for size, step in steps)


def _are_in_order(written: ChosenPlaces, read: ChosenPlaces) -> bool:
    """Return whether two parts of one tensor share all elements, none, or one at its own place."""
    if written.dimensions == read.dimensions:
        return True
    numbers = [_number(written.places), _number(read.places)]
    sizes = keys_of(written.source.shape)  # one element would be read for all
    square = len(sizes) == 2 and sizes[0] == sizes[1]
    return square and numbers[0] is not None and numbers[0] == numbers[1]


def _number(places: tuple[Value, ...]) -> str | None:
    """Return the variable of the only integer of run time among places."""
    found = [place for place in places if isinstance(place, ScalarValue)]
    return found[0].name if len(found) == 1 else None
