"""Slices of modules by numbers known only at run time: ``self.layers[:depth]``."""

from collections.abc import Iterator

import libcst as cst
from torch import nn

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.containers.containers import sequence_items
from rewriter.evaluation.containers.item_choice import first_equal
from rewriter.evaluation.operators.truth import item_of
from rewriter.evaluation.run import Frame
from rewriter.prelude import slicing
from rewriter.state import State
from rewriter.values import Known, SliceValue, TensorValue, Value


def holds_modules(state: State, value: Value) -> bool:
    """Return whether a value is a row of modules, which the host cannot slice."""
    return any(isinstance(item, nn.Module) for item in _row(state, value))


def _row(state: State, value: Value) -> list[object]:
    if isinstance(value, Known) and isinstance(value.value, nn.ModuleList | nn.Sequential):
        return list(value.value)
    items = sequence_items(state, value) or ()
    return [item.value if isinstance(item, Known) else None for item in items]


def chosen_slices(
    frame: Frame, node: cst.CSTNode, state: State, value: Value, index: SliceValue
) -> Iterator[tuple[State, Known]]:
    """Yield a slice for each pair of places where it may start and end, in a path of its own."""
    step = index.step.value if isinstance(index.step, Known) else 0
    if step is not None and step < 1:
        frame.refuse("DYCL056", node, "modules are sliced by a step that may be negative")
    size = len(_row(state, value))
    for after, start in _places(frame, node, state, index.start, size):
        for done, stop in _places(frame, node, after, index.stop, size):
            yield done, Known(slice(start, stop, step))


def _places(
    frame: Frame, node: cst.CSTNode, state: State, bound: Value, size: int
) -> Iterator[tuple[State, object]]:
    if isinstance(bound, Known):
        yield state, bound.value
        return
    numbers = (
        item_of(frame, node, state, bound)
        if isinstance(bound, TensorValue)
        else iter([(state, bound)])
    )
    every = [(place, Known(place)) for place in range(size + 1)]
    for before, number in numbers:
        place_of = call_value(frame, node, before, Known(slicing.place), [number, Known(size)], {})
        for after, place in place_of:
            if isinstance(place, Known):
                yield after, place.value
                continue
            for done, chosen in first_equal(frame, node, after, every, place, certain=True):
                assert isinstance(chosen, Known)
                yield done, chosen.value
