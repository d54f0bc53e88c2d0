"""Writes into parts of tensors at integers of run time: ``row = buf[i]; row += x``.

The program has a copy of such a part, which tells what it holds as long as nothing else writes
there. What is written into it is put back at its place:

    row += x
      ->
    row += x;  buf[i] = row.clone()

Where only a view of it is held (``end = buf[i][1:]; end += x``), the part is taken again, and the
same view of that is written.
"""

from collections.abc import Iterator, Sequence

import torch

from rewriter.chosen_places import ChosenPart, has_own_elements
from rewriter.evaluation.leaf.operation import Operation
from rewriter.evaluation.leaf.views_of_parts import is_view, viewed
from rewriter.evaluation.operands import known_tensors, tensors_of
from rewriter.evaluation.run import Outcomes
from rewriter.evaluation.tensors.chosen_overlaps import (
    are_apart,
    is_one_element,
    may_overlap_partly,
)
from rewriter.state import State
from rewriter.storages import same_view, storage_key
from rewriter.values import (
    Known,
    MethodValue,
    ScalarValue,
    SliceValue,
    TensorValue,
    TupleValue,
    Value,
)


def part_to_put_back(
    operation: Operation, written: Sequence[torch.Tensor], live: Sequence[TensorValue]
) -> ChosenPart | None:
    """Return the part of a tensor that an operation writes, if it can be put back."""
    keys = {storage_key(tensor) for tensor in written}
    part = operation.run.storages.chosen.get(keys.pop()) if len(keys) == 1 else None
    if part is None or not all(map(stays_as_it_is, part.places)):
        return None
    if any(_overlaps(operation, part, read, written[0]) for read in _read(operation)):
        return None  # PyTorch may read there what it has just written
    whole = part.taken_of
    is_there = isinstance(whole, Known) or that_is(whole.fake, live) is not None
    held = that_is(part.part, live) or _written_view(operation, part, live)
    return part if is_there and _is_plain(whole) and held else None


def put_back(
    operation: Operation, part: ChosenPart, live: Sequence[TensorValue], result: Value
) -> Outcomes:
    """Write what a part holds into the tensor, at its place; yield what the operation gave."""
    # Assignments to elements are operations: a real cycle.
    from rewriter.evaluation.containers.item_assignment import set_item

    state, whole = operation.state, part.taken_of
    if isinstance(whole, TensorValue):
        whole = that_is(whole.fake, live) or whole
    row = that_is(part.part, live)
    if row is None:
        yield from ((after, result) for after in _put_back_view(operation, part, live, whole))
        return
    with operation.run.storages.putting_back(part):
        states = set_item(
            operation.frame,
            operation.node,
            state,
            whole,
            TupleValue(part.places),
            state.current(row),
        )
    yield from ((after, result) for after in states)


def _written_view(
    operation: Operation, part: ChosenPart, live: Sequence[TensorValue]
) -> TensorValue | None:
    """Return the only tensor that holds memory of a part, if it is a view of that.

    Nothing else holds what is written then: ``end = row[1:]; end += 1``.
    """
    found = {leaf.name: leaf for leaf in live if storage_key(leaf.fake) == storage_key(part.part)}
    only = next(iter(found.values())) if len(found) == 1 else None
    given = {operation.state.current(tensor).name for tensor in operation.tensors()}
    return only if only is not None and only.name in given and is_view(part, only) else None


def _put_back_view(
    operation: Operation,
    part: ChosenPart,
    live: Sequence[TensorValue],
    whole: TensorValue | Known,
) -> Iterator[State]:
    """Write what a view of a part holds into the same view of the part, taken again."""
    # Subscripts are operations: a real cycle.
    from rewriter.evaluation.calls.calls import call_value
    from rewriter.evaluation.containers.subscripts import get_item

    frame, node, run = operation.frame, operation.node, operation.run
    leaf = next(each for each in live if storage_key(each.fake) == storage_key(part.part))
    places = TupleValue(part.places)
    with run.storages.putting_back(part):
        for after, row in get_item(frame, node, operation.state, whole, places):
            assert isinstance(row, TensorValue)
            first = leaf.fake.storage_offset() - part.part.storage_offset()
            with run.mode:
                layout = (leaf.fake.shape, leaf.fake.stride(), row.fake.storage_offset() + first)
                fake = row.fake.as_strided(*layout)
            view = TensorValue(viewed(operation, after, part, row.name, leaf), fake)
            after.carry(view)
            method = MethodValue(view, "copy_")
            for done, _ in call_value(frame, node, after, method, [after.current(leaf)], {}):
                yield done


def _read(operation: Operation) -> list[torch.Tensor]:
    """Return the tensors that an operation reads, and perhaps writes at the same elements."""
    given = operation.operands[operation.stores_into is not None :]
    values = (*given, *operation.keywords.values())
    known = [x.value for x in known_tensors(operation.state, values)]
    found = [x.fake for x in tensors_of(operation.state, values)]
    return found + [x for x in known if isinstance(x, torch.Tensor)]


def _overlaps(
    operation: Operation, part: ChosenPart, read: torch.Tensor, written: torch.Tensor
) -> bool:
    """Return whether what is read may be elements that are written, but not each at its place."""
    if storage_key(read) in operation.run.storages.in_step:
        return False  # what is put back, at its place
    if operation.stores_into is not None and is_one_element(written):
        return False
    if storage_key(read) == storage_key(part.part):
        return not (same_view(read, written) or are_apart(read, written))
    return may_overlap_partly(operation.run.storages, part, read)


def _is_plain(whole: TensorValue | Known) -> bool:
    return has_own_elements(whole.fake if isinstance(whole, TensorValue) else whole.value)


def stays_as_it_is(place: Value) -> bool:
    """Return whether a part of an index is the same, whatever is written into tensors."""
    match place:
        case ScalarValue():
            return True
        case Known():
            return place.value is Ellipsis or type(place.value) in (int, slice)
        case SliceValue():
            bounds = (place.start, place.stop, place.step)
            return all(isinstance(bound, ScalarValue | Known) for bound in bounds)
        case _:
            return False


def that_is(tensor: torch.Tensor, live: Sequence[TensorValue]) -> TensorValue | None:
    """Return the variable that stands for a tensor."""
    return next((leaf for leaf in live if same_view(leaf.fake, tensor)), None)
