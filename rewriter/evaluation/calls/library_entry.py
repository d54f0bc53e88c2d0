"""The entry point of a module that is torch's own: one call, not an evaluation of torch."""

from torch import nn

from rewriter.evaluation.calls.leaf_modules import call_leaf_module
from rewriter.evaluation.calls.torch_reads import is_leaf
from rewriter.evaluation.run import Frame
from rewriter.state import Returned, State
from rewriter.values import Known


def calls_library_module(frame: Frame, state: State) -> bool:
    """Return whether the frame is ``forward`` of a module that torch wrote, parts included."""
    receiver = _receiver(frame, state)
    return (
        receiver is not None
        and isinstance(receiver.value, nn.Module)
        and is_leaf(receiver.value)
        and frame.source.name.rpartition(".")[2] == "forward"
    )


def call_library_entry(frame: Frame, state: State) -> list[Returned]:
    """Call the module with the parameters of its ``forward``; return how that ends."""
    receiver = _receiver(frame, state)
    assert receiver is not None
    variables = dict(state.frames[frame.identity])
    variables.pop(frame.receiver or "")
    outcomes = call_leaf_module(
        frame, frame.source.node, state, receiver, list(variables.values()), {}, None
    )
    return [Returned(after, value) for after, value in outcomes]


def _receiver(frame: Frame, state: State) -> Known | None:
    value = state.frames[frame.identity].get(frame.receiver or "")
    return value if isinstance(value, Known) else None
