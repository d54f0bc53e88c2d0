"""Parts of tensors at integers of run time that are read after the tensor has been written.

The program has a copy of such a part, so what is written into the tensor would not show in it:

    row = y[i];  end = row[1:];  y[j] = x;  use(row, end)
      ->
    row = y[i];  end = row[1:];  y[j] = x;  row = y[i];  end = row[1:];  use(row, end)

They are the tensors that they were before, so a loop or a branch that writes takes them again each
time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from rewriter.chosen_places import ChosenPart
from rewriter.evaluation.leaf.operation import Operation
from rewriter.evaluation.leaf.putting_back import stays_as_it_is, that_is
from rewriter.evaluation.leaf.views_of_parts import is_view, viewed
from rewriter.evaluation.tensors.holders import become
from rewriter.state import State
from rewriter.storages import same_view, storage_key
from rewriter.values import Known, TensorValue, TupleValue


@dataclass(frozen=True, slots=True)
class TakenAgain:
    """A variable for a part, or a view of it, and the one for the tensor whose part it is."""

    old: TensorValue
    whole: TensorValue
    part: ChosenPart


def parts_to_take_again(
    operation: Operation,
    written: Sequence[torch.Tensor],
    live: Sequence[TensorValue],
    put_back: ChosenPart | None,
    *,
    by_element: bool,
) -> list[TakenAgain]:
    """Return the live parts of what an operation writes, or of what it puts back into.

    Not those that hold what is put back; nor an operand that is read while it may change, which
    is an element written only after it was read: operands beside what is put back lie so
    (``part_to_put_back``).
    """
    if put_back is not None:
        written = (put_back.source,)
    if operation.run.plan.differentiates or len({storage_key(one) for one in written}) != 1:
        return []  # a gradient goes through what was taken first
    operands = {x.name for x in operation.tensors()}
    in_step = operation.run.storages.in_step | (
        set() if put_back is None else {storage_key(put_back.part)}
    )
    found: dict[str, TakenAgain] = {}
    for leaf in live:
        again = _again(operation, leaf, live, written[0])
        if again is None or storage_key(leaf.fake) in in_step:
            continue
        apart = put_back is not None or again.part.is_apart_or_all_of(written[0])
        apart = apart and same_view(leaf.fake, again.part.part)
        if leaf.name not in operands or (by_element and apart):
            found[leaf.name] = again
    return list(found.values())


def _again(
    operation: Operation, leaf: TensorValue, live: Sequence[TensorValue], written: torch.Tensor
) -> TakenAgain | None:
    storages = operation.run.storages
    part = storages.chosen.get(storage_key(leaf.fake))
    if part is None or not is_view(part, leaf) or isinstance(part.taken_of, Known):
        return None
    whole = that_is(part.taken_of.fake, live)
    if whole is None or storage_key(part.source) != storage_key(written):
        return None
    if leaf.name in storages.contained or storages.may_be_held(leaf.fake):
        return None
    return TakenAgain(leaf, whole, part) if all(map(stays_as_it_is, part.places)) else None


def take_again(operation: Operation, parts: Sequence[TakenAgain]) -> list[State]:
    """Give each such part a variable for what lies there now; return the states that go on."""
    groups: dict[int, list[TakenAgain]] = {}
    for each in parts:
        groups.setdefault(storage_key(each.old.fake), []).append(each)
    states = [operation.state]
    for group in groups.values():
        states = [after for state in states for after in _taken(operation, state, group)]
    return states


def _taken(operation: Operation, state: State, group: Sequence[TakenAgain]) -> Iterator[State]:
    """Take a part again, and the views of it."""
    # Subscripts are operations: a real cycle.
    from rewriter.evaluation.containers.subscripts import get_item

    frame, held = operation.frame, state.on_the_way
    whole, part = state.current(group[0].whole), group[0].part
    for after, new in get_item(frame, operation.node, state, whole, TupleValue(part.places)):
        assert isinstance(new, TensorValue)
        after.on_the_way = held
        for each in group:
            name = viewed(operation, after, part, new.name, each.old)
            _inherit(frame.run.gradless, name, each.old.name)
            become(frame.run, after, after.current(each.old), TensorValue(name, each.old.fake))
        yield after


def _inherit(names: set[str], new: str, old: str) -> None:
    """Have a new variable among names where the old one is, and only there."""
    if old in names:
        names.add(new)
    else:
        names.discard(new)
