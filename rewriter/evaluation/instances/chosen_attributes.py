"""Attributes whose names have a number of run time in them: one path per name there is."""

import types
from collections.abc import Iterator

import libcst as cst
from torch import nn

from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.containers.item_choice import first_equal, range_of
from rewriter.evaluation.instances.user_classes import class_of, user_method
from rewriter.evaluation.refusals import RefusedForGood
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame
from rewriter.evaluation.text.text_pieces import joined_text, number_in, possible
from rewriter.state import State
from rewriter.values import HostValue, Known, ObjectCell, Reference, TupleValue, Value

_UNKNOWN = "the attribute's name is known only at run time"


def chosen_names(
    frame: Frame, node: cst.CSTNode, state: State, owner: Value, wanted: Value
) -> Iterator[tuple[State, str | None]]:
    """Yield the name that is asked for; None where the object has no such attribute."""
    known = known_object(state, wanted)
    if known is not None and isinstance(known.value, str):
        yield state, known.value
        return
    if frame.run.trials:  # unrolled, each iteration knows its own: far better than to choose
        raise RefusedForGood(
            Diagnostic(code="DYCL060", message=_UNKNOWN, origin=frame.origin(node))
        )
    number = number_in(frame.run, wanted) if isinstance(wanted, HostValue) else None
    names = _names_of(frame, state, owner)
    if number is None or names is None or not isinstance(wanted, HostValue):
        frame.refuse("DYCL060", node, _UNKNOWN)
    choices = sorted((place, name) for name, place in possible(frame.run, wanted, names))
    within = range_of(frame, number)
    if within is not None:
        choices = [(place, name) for place, name in choices if place in within]
    if len(choices) > frame.run.options.most_paths:
        frame.refuse("DYCL020", node, f"a run-time name chooses among {len(choices)} attributes")
    certain = within is not None and len(within) == len(choices) > 0
    given = [(place, Known(name)) for place, name in choices]
    for after, chosen in first_equal(frame, node, state, given, number, certain=certain):
        yield after, chosen.value if isinstance(chosen, Known) else None


def _names_of(frame: Frame, state: State, owner: Value) -> frozenset[str] | None:
    """Return all attributes of an object, None where it may have more than can be listed."""
    kind = class_of(state, owner)
    own: set[str] = set()
    match owner:
        case Known(value=content) if hasattr(content, "__dict__") and not isinstance(
            content, type | types.ModuleType
        ):
            own.update(vars(content))
            own.update(name for identity, name in state.attributes if identity == id(content))
            if isinstance(content, nn.Module):
                own.update(content._parameters, content._buffers, content._modules)
        case Reference(identity=identity) if identity not in frame.run.lasting_cells and isinstance(
            cell := state.heap[identity], ObjectCell
        ):
            own.update(cell.attributes)
        case _:
            return None
    if kind is None or user_method(kind, "__getattr__") or user_method(kind, "__getattribute__"):
        return None
    return frozenset(own.union(*map(vars, kind.__mro__)))


def raise_missing(
    frame: Frame, node: cst.CSTNode, state: State, owner: Value, wanted: Value
) -> None:
    """Raise the AttributeError for a name of run time."""
    kind = class_of(state, owner)
    assert kind is not None
    parts = [Known(f"'{kind.__name__}' object has no attribute '"), wanted, Known("'")]
    for after, text in joined_text(frame, node, state, parts):
        raised = ObjectCell(AttributeError, {"args": TupleValue((text,))})
        frame.run.raise_(after, frame.run.allocate(after, raised))
