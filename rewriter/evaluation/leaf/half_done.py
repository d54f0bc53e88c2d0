"""Writes that an error ends half-way: PyTorch has written some when it finds a wrong place.

What these are is not certain, so nobody may look once the error is caught:

try:                              def gathered(x, index):
    y = gathered(x, index)            out = torch.zeros(4)
except IndexError:                    out[index] = x   # `out` is gone where this raises
    y = None                          return out
"""

from collections.abc import Sequence

import torch

from rewriter.evaluation.leaf.operation import Operation
from rewriter.evaluation.live_variables import live_variables
from rewriter.flattening import Flattening, Roots
from rewriter.on_the_way import Reached
from rewriter.values import TensorValue, Value


def refuse_half_done(operation: Operation, written: Sequence[torch.Tensor]) -> None:
    """Refuse an operation that may raise where its error is caught, and what it writes is read."""
    if _is_seen(operation, written):
        operation.refuse(
            "DYCL063",
            "this may raise when a part of it is written, inside a `try` that may catch it",
            "test the indices before the operation, or let nothing read what it writes then",
        )


def _is_seen(operation: Operation, touched: Sequence[torch.Tensor]) -> bool:
    storages = operation.run.storages
    own = {storages.group(each.fake) for each in operation.tensors()}
    written = [each for each in touched if storages.group(each) in own]
    if not written:
        return False
    lasts = any(storages.may_last(each) or storages.may_be_exported(each) for each in written)
    held = None if lasts else _held_after_error(operation)
    if held is None:
        return True
    groups = {storages.group(each) for each in written}
    return any(storages.group(each.fake) in groups for each in held)


def _held_after_error(operation: Operation) -> list[TensorValue] | None:
    """Return what may be read once the error is caught; None where that is not known."""
    run, state = operation.run, operation.state
    catching = run.catching[-1] if run.catching else None
    places = [place for place, frame in enumerate(run.frames) if frame is catching]
    if catching is None or not places:
        return None
    live = dict(live_variables(run.frames[: places[-1] + 1]))
    live[catching.identity] = catching.caught | catching.landing
    frames = tuple(live.items())
    leaves: list[Value] = (
        Flattening(state, Roots(frames=frames, attributes=tuple(state.attributes))).run().leaves
    )
    reached = Reached.within(state, frames)
    for value in catching.carried:
        leaves += reached.leaves(value)
    return [state.current(each) for each in leaves if isinstance(each, TensorValue)]
