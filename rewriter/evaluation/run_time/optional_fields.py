"""Fields that hold None in some records of a class, and something in others; so do lists."""

from collections.abc import Iterator

from rewriter.evaluation.host.host_typing import is_record_like, record_of
from rewriter.evaluation.run import Frame
from rewriter.evaluation.run_time.run_time_structures import settle_objects
from rewriter.flattening import Flattening
from rewriter.known_places import Field, field_of_record
from rewriter.state import State
from rewriter.values import DictCell, ListCell, ObjectCell, is_none


def settle_around(frame: Frame, states: list[Flattening], position: int) -> bool:
    """Make records run-time objects of which one has None for a field, on all paths.

    They are those that are met before a position at which the shapes of the first path and the
    last one differ. Only where it is known already that the field may be None: else that is
    noted, for the program's next evaluation. So it is with lists that have None in some places
    (``previous = [None] * n``): with ten of them there are a thousand paths.
    """
    first, last = states[0], states[-1]
    known = first.state.places
    for start in sorted(first.objects_at, reverse=True):
        if start >= position:
            continue
        one, other = first.objects_at[start], last.objects_at[start]
        for place, of_own_class in differing_fields(first.state, one, last.state, other):
            known.note(place, of_own_class=of_own_class)
            if known.is_optional(place) and settle_objects(frame, states, start, wanted=True):
                return True
        if differ_by_none(first.state, one, last.state, other):
            known.note_items(one)
            if settle_objects(frame, states, start, wanted=True):
                return True
    return False


def differ_by_none(left: State, one: int, right: State, other: int) -> bool:
    """Return whether one of two lists has None in a place where the other has something."""
    first, second = left.heap[one], right.heap[other]
    if not isinstance(first, ListCell) or not isinstance(second, ListCell):
        return False
    pairs = zip(first.items, second.items, strict=False)
    return any(is_none(item) is not is_none(also) for item, also in pairs)


def differing_fields(
    left: State, one: int, right: State, other: int
) -> Iterator[tuple[Field, bool]]:
    """Yield the fields that one of two records has and the other has not.

    And whether what it has is another record of the class.
    """
    cell = left.heap[one]
    first, second = record_of(cell), record_of(right.heap[other])
    if first is None or second is None or not isinstance(cell, ObjectCell | DictCell):
        return
    for name in first.keys() & second.keys():
        missing = is_none(first[name])
        if missing is not is_none(second[name]):
            state, held = (right, second[name]) if missing else (left, first[name])
            place = field_of_record(cell.kind, first, name)
            yield place, is_record_like(state, held, cell)
