"""Tensors of no dimension given as the number that a tensor is filled with."""

from collections.abc import Iterator

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import Known, MethodValue, TensorValue, Value

_FILLING = ("full", "full_like", "new_full")
_NAME = "fill_value"


def with_fill_number(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Iterator[tuple[State, list[Value], dict[str, Value]]] | None:
    """Yield the arguments with the number that the fill value holds; None for other calls.

    ``positional`` begins with the tensor for a method. PyTorch takes the item of such a tensor.
    """
    place = 2 if name == "new_full" else 1
    if name not in _FILLING:
        return None
    given = positional[place] if len(positional) > place else keywords.get(_NAME)
    content = None if given is None else tensor_of(given)
    if given is None or content is None or content.dim() or content.is_complex():
        return None
    if not isinstance(given, Known | TensorValue):
        return None
    return (
        (
            after,
            [*positional[:place], number, *positional[place + 1 :]]
            if len(positional) > place
            else positional,
            keywords if len(positional) > place else {**keywords, _NAME: number},
        )
        for after, number in call_value(frame, node, state, MethodValue(given, "item"), [], {})
    )


def is_filling(function: object) -> bool:
    """Return whether a function of torch makes a tensor of one number."""
    return function in (torch.full, torch.full_like)
