"""Tensors of no dimension given as a number: what a tensor is filled with, one of two bounds."""

from collections.abc import Iterator

import libcst as cst
import torch
import torch.nn.functional as F

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import Known, MethodValue, ScalarValue, TensorValue, Value

_BOUNDS = ((1, "min"), (2, "max"))
_NUMBERS: dict[str, tuple[tuple[int, str], ...]] = {
    "full": ((1, "fill_value"),),
    "full_like": ((1, "fill_value"),),
    "new_full": ((2, "fill_value"),),
    "clamp": _BOUNDS,
    "clip": _BOUNDS,
    "pad": ((3, "value"),),
    "nan_to_num": ((1, "nan"), (2, "posinf"), (3, "neginf")),
}
"""By name: the places and names of arguments that are numbers."""

_FUNCTIONS = (torch.full, torch.full_like, torch.clamp, torch.clip, torch.nan_to_num, F.pad)


def with_fill_number(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Iterator[tuple[State, list[Value], dict[str, Value]]] | None:
    """Yield the arguments with the number that one of them holds; None for other calls.

    ``positional`` begins with the tensor for a method. PyTorch takes the item of such a tensor.
    """
    plain = name.rstrip("_")
    for place, named in _NUMBERS.get(plain, ()):
        is_placed = len(positional) > place
        given = positional[place] if is_placed else keywords.get(named)
        if not isinstance(given, Known | TensorValue) or not _holds_number(given):
            continue
        if plain in ("clamp", "clip") and not _is_between(positional, keywords):
            continue
        return (
            (after, [*positional[:place], number, *positional[place + 1 :]], keywords)
            if is_placed
            else (after, positional, {**keywords, named: number})
            for after, number in call_value(frame, node, state, MethodValue(given, "item"), [], {})
        )
    return None


def _holds_number(value: Value) -> bool:
    """Return whether PyTorch takes the item of a tensor: none of one that asks for gradients."""
    content = tensor_of(value)
    if content is None or content.dim() or content.is_complex():
        return False
    return not content.requires_grad


def _is_between(positional: list[Value], keywords: dict[str, Value]) -> bool:
    """Return whether one of two bounds is a number: PyTorch takes two numbers or two tensors."""
    given = [*positional[1:], *keywords.values()]
    return any(
        isinstance(value, ScalarValue)
        or (isinstance(value, Known) and type(value.value) in (bool, int, float))
        for value in given
    )


def is_filling(function: object) -> bool:
    """Return whether a function of torch takes numbers that tensors may hold."""
    return function in _FUNCTIONS
