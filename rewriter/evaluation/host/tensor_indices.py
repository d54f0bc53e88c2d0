"""Tensors of run time that index arrays of numpy: ``scores[x.argmax()]``, ``scores[x > 0]``."""

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.host.host_arrays import host_argument
from rewriter.evaluation.run import Frame
from rewriter.size_expressions import is_fixed
from rewriter.state import State
from rewriter.values import MethodValue, TensorValue, TupleValue, Value


def without_tensors(frame: Frame, node: cst.CSTNode, state: State, index: Value) -> Value:
    """Return an index of an array with what numpy takes a tensor for: an integer, or an array.

    A tensor of one element is the integer that it can be asked for, whatever its rank; which
    tensors are must be known.
    """
    match index:
        case TupleValue():
            parts = tuple(without_tensors(frame, node, state, part) for part in index.items)
            return TupleValue(parts)
        case TensorValue(fake=tensor) if is_fixed(tensor) and _is_place(tensor):
            if tensor.numel() != 1:
                return host_argument(frame, node, state, index)
            ((_, number),) = call_value(frame, node, state, MethodValue(index, "item"), [], {})
            return number
        case _:
            return index


def _is_place(tensor: torch.Tensor) -> bool:
    """Return whether a tensor says where: a mask, or integers. One truth is an integer, too."""
    if tensor.is_floating_point() or tensor.is_complex():
        return False
    return tensor.dtype is not torch.bool or tensor.numel() != 1
