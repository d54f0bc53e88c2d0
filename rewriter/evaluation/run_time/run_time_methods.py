"""Methods of containers that exist at run time only."""

import libcst as cst

from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.mixed_lists import mixed_method
from rewriter.evaluation.run_time.run_time_mappings import mapping_method
from rewriter.evaluation.run_time.run_time_ordering import sort_in_place
from rewriter.evaluation.run_time.run_time_sequence_methods import sequence_method
from rewriter.evaluation.run_time.run_time_sets import run_time_set_method
from rewriter.host_types import MappingType, MixedListType, RecordType, SequenceType, SetType
from rewriter.state import State
from rewriter.values import NONE, IteratorValue, Reference, RunTimeCell, Value


def run_time_method(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, cell: RunTimeCell,
    name: str, positional: list[Value], keywords: dict[str, Value],
) -> Outcomes:  # fmt: skip
    """Evaluate ``receiver.name(arguments)``."""
    if name == "update" and isinstance(cell.type, SetType) and len(positional) == 1:
        (items,) = positional
        if isinstance(items, IteratorValue):
            # Taking items is a loop that adds: a real cycle.
            from rewriter.evaluation.control.taking_items import filled

            for after in filled(frame, node, state, items, receiver):
                yield after, NONE
            return
    match cell.type:
        case SequenceType() if name == "sort":
            yield from sort_in_place(frame, node, state, receiver, keywords)
        case MixedListType():
            yield from mixed_method(frame, node, state, receiver, name, positional)
        case MappingType() | RecordType():
            yield from mapping_method(frame, node, state, receiver, name, positional, keywords)
        case _ if keywords:
            frame.refuse("DYCL073", node, f"method {name!r} with these arguments")
        case SequenceType() as kind:
            yield from sequence_method(frame, node, state, receiver, cell, kind, name, positional)
        case SetType():
            yield from run_time_set_method(frame, node, state, receiver, name, positional)
