"""Parts of tensors at integers of run time that are read after the tensor has been written.

The program has a copy of such a part, so what is written into the tensor would not show in it:

    row = y[i];  y[j] = x;  use(row)
      ->
    row = y[i];  y[j] = x;  row = y[i];  use(row)
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from rewriter.chosen_places import ChosenPart
from rewriter.evaluation.leaf.operation import Operation
from rewriter.evaluation.leaf.putting_back import stays_as_it_is, that_is
from rewriter.evaluation.tensors.holders import become
from rewriter.state import State
from rewriter.storages import same_view, storage_key
from rewriter.values import Known, TensorValue, TupleValue


@dataclass(frozen=True, slots=True)
class TakenAgain:
    """A variable for a part, and the one for the tensor whose part it is."""

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
        if leaf.name not in operands or (by_element and apart):
            found[leaf.name] = again
    return list(found.values())


def _again(
    operation: Operation, leaf: TensorValue, live: Sequence[TensorValue], written: torch.Tensor
) -> TakenAgain | None:
    storages = operation.run.storages
    part = storages.chosen.get(storage_key(leaf.fake))
    if part is None or not same_view(part.part, leaf.fake) or isinstance(part.taken_of, Known):
        return None
    whole = that_is(part.taken_of.fake, live)
    if whole is None or storage_key(part.source) != storage_key(written):
        return None
    if leaf.name in storages.contained or storages.may_be_held(leaf.fake):
        return None
    return TakenAgain(leaf, whole, part) if all(map(stays_as_it_is, part.places)) else None


def take_again(operation: Operation, parts: Sequence[TakenAgain]) -> list[State]:
    """Give each such part a variable for what lies there now; return the states that go on."""
    # Subscripts are operations: a real cycle.
    from rewriter.evaluation.containers.subscripts import get_item

    frame, states = operation.frame, [operation.state]
    for each in parts:
        taken: list[State] = []
        for state in states:
            whole, places = state.current(each.whole), TupleValue(each.part.places)
            for after, new in get_item(frame, operation.node, state, whole, places):
                assert isinstance(new, TensorValue)
                _inherit(frame.run.gradless, new.name, each.old.name)
                become(frame.run, after, after.current(each.old), new)
                taken.append(after)
        states = taken
    return states


def _inherit(names: set[str], new: str, old: str) -> None:
    """Have a new variable among names where the old one is, and only there."""
    if old in names:
        names.add(new)
    else:
        names.discard(new)
