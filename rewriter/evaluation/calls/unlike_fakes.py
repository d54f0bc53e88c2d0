"""Functions of torch that do something else on fake tensors, or under a mode, than in eager."""

import libcst as cst
import torch
from torch._C import _to_dlpack
from torch.utils.dlpack import from_dlpack

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.library_calls import call_library
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import combining
from rewriter.state import State
from rewriter.values import Known, TensorValue


@special(torch.chain_matmul)
def chain_matmul(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch.chain_matmul(a, b)``, whose ``out`` torch forgets where a mode is."""
    if "out" in keywords:
        frame.refuse(
            "DYCL030", node, "chain_matmul() with out", "use torch.linalg.multi_dot(..., out=out)"
        )
    yield from call_library(frame, node, state, Known(torch.chain_matmul), positional, keywords)


@special(torch.combinations)
def combinations(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch.combinations(x)``, which chooses by a mask: how many there are is known without."""
    own = Known(combining.combinations)
    yield from call_value(frame, node, state, own, positional, keywords)


@special(from_dlpack)
def tensor_over_memory(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch.from_dlpack(array)``: the memory of a tensor has no address here."""
    _refuse_address(frame, node, positional)
    yield from call_library(frame, node, state, Known(from_dlpack), positional, keywords)


@special(_to_dlpack)
def memory_of_tensor(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``to_dlpack(tensor)``, likewise."""
    _refuse_address(frame, node, positional)
    yield from call_library(frame, node, state, Known(_to_dlpack), positional, keywords)


def _refuse_address(frame: Frame, node: cst.CSTNode, positional: Positional) -> None:
    if any(isinstance(value, TensorValue) for value in positional):
        frame.refuse("DYCL042", node, "the memory of a tensor is shared by its address")
