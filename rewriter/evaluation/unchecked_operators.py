"""PyTorch's internal operators: some end the process for sizes that do not fit them.

``aten.nll_loss_backward`` reads beyond its operands, ``aten._weight_norm_interface`` divides by a
size that is zero. The functions that call them look at the sizes before; a program that calls them
itself (also as ``torch._weight_norm``) may not, so they are never run to see what they raise.
"""

from types import BuiltinFunctionType
from typing import Any

import torch

_CHECKED = frozenset({torch.Tag.core, torch.Tag.pointwise})
"""Operators that PyTorch itself counts as its language, and those that broadcast."""
_LOOKING = frozenset({"_unsafe_view", "_unsafe_index", "_unsafe_index_put", "_safe_softmax"})


def is_unchecked(function: object) -> bool:
    """Return whether a function is an internal operator that may end the process."""
    if isinstance(function, torch._ops.OpOverload):
        function = function.overloadpacket
    if isinstance(function, BuiltinFunctionType):  # ``torch._weight_norm`` is the operator
        function = getattr(torch.ops.aten, function.__name__, None)
    if not isinstance(function, torch._ops.OpOverloadPacket):
        return False
    name = function.__name__
    if name.startswith("_foreach_") or not (name.startswith("_") or name.endswith("_backward")):
        return False
    packet: Any = function
    overloads = [getattr(packet, each) for each in packet.overloads()]
    return name not in _LOOKING and not any(_CHECKED & {*each.tags} for each in overloads)
