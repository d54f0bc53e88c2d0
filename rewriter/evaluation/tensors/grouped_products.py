"""``torch.nn.functional.grouped_mm``: PyTorch's rule for its layout knows one type of elements."""

import inspect
from collections.abc import Mapping

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import special
from rewriter.evaluation.calls.torch_calls import call_torch
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import grouped_products
from rewriter.size_expressions import is_fixed
from rewriter.state import State
from rewriter.values import Known, Value

_ALIGNED = 4
"""Rows are to begin at a multiple of 16 bytes: so many elements of single precision."""


@special(torch.nn.functional.grouped_mm)
def grouped_mm(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Multiply rows by the matrices of their groups, as the prelude does where it can."""
    signature = inspect.signature(torch.nn.functional.grouped_mm)
    try:
        arguments = signature.bind(*positional, **keywords).arguments
    except TypeError:
        arguments = {}
    if _is_of_rows(arguments):
        given = [arguments["mat_a"], arguments["mat_b"]]
        own = Known(grouped_products.grouped_mm)
        return call_value(frame, node, state, own, given, {"offs": arguments["offs"]})
    library = Known(torch.nn.functional.grouped_mm, "torch.nn.functional.grouped_mm")
    return call_torch(frame, node, state, library, positional, keywords)


def _is_of_rows(arguments: Mapping[str, Value]) -> bool:
    """Return whether rows of one matrix are multiplied, which PyTorch can do on the CPU."""
    settings = [arguments.get(name, Known(None)) for name in ("bias", "out_dtype")]
    if any(not isinstance(value, Known) or value.value is not None for value in settings):
        return False
    given = [tensor_of(arguments.get(name, Known(None))) for name in ("mat_a", "mat_b", "offs")]
    if any(tensor is None for tensor in given):
        return False
    rows, matrices, ends = (tensor for tensor in given if tensor is not None)
    return (
        (rows.dim(), matrices.dim(), ends.dim()) == (2, 3, 1)
        and rows.dtype is matrices.dtype is torch.float32
        and ends.dtype is torch.int32
        and is_fixed(matrices)
        and is_fixed(ends)
        and matrices.shape[0] == ends.shape[0]
        and all(size % _ALIGNED == 0 for size in matrices.shape[1:])
        and rows.stride() == (matrices.shape[1], 1)
        and type(rows.shape[1]) is int
        and rows.shape[1] == matrices.shape[1]
        and (matrices.is_contiguous() or matrices.transpose(1, 2).is_contiguous())
    )
