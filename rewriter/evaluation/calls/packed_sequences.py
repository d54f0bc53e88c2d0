"""Packed sequences: ``torch.nn.utils.rnn`` and recurrent layers, inlined from Python."""

import libcst as cst
from torch import nn
from torch.nn.utils import rnn

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.preluding import inlined
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.instances.user_classes import class_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import packing
from rewriter.state import State
from rewriter.values import Known, Value

for _name in ("pack_padded_sequence", "pack_sequence", "pad_packed_sequence", "unpack_sequence"):
    special(getattr(rnn, _name))(inlined(getattr(packing, _name)))


@special(rnn.PackedSequence)
def from_parts(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``PackedSequence(data, batch_sizes)``."""
    del state, positional, keywords
    frame.refuse("DYCL045", node, "a packed sequence made from its parts is not supported")


def takes_packed(
    state: State, layer: nn.Module, positional: list[Value], keywords: dict[str, Value]
) -> bool:
    """Return whether a recurrent layer is called on a packed sequence."""
    given = positional[0] if positional else keywords.get("input")
    return (
        isinstance(layer, nn.RNNBase)
        and given is not None
        and class_of(state, given) is packing.PackedSequence
    )


def call_on_packed(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    layer: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call a recurrent layer on a packed sequence: on each of its rows."""
    yield from call_value(
        frame, node, state, Known(packing.recurrent), [layer, *positional], keywords
    )
