"""Conditions of ``where`` that are bytes: PyTorch takes what is not 0 for true."""

from collections.abc import Iterator

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import Known, Value

Arguments = tuple[State, list[Value], dict[str, Value]]


def with_truths(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    name: str,
    given: list[Value],
    keywords: dict[str, Value],
    *,
    place: int,
) -> Iterator[Arguments] | None:
    """Yield the arguments of ``where`` with truths for bytes; None where nothing is to be done."""
    condition = given[place] if len(given) > place else keywords.get("condition")
    if name != "where" or condition is None or not is_of_bytes(condition):
        return None
    return _replaced(frame, node, state, given, keywords, condition)


def is_of_bytes(value: Value) -> bool:
    """Return whether a value is a tensor of bytes, which may stand for truths."""
    content = tensor_of(value)
    return content is not None and content.dtype is torch.uint8


def _replaced(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    given: list[Value],
    keywords: dict[str, Value],
    condition: Value,
) -> Iterator[Arguments]:
    for after, truths in call_value(frame, node, state, Known(torch.ne), [condition, Known(0)], {}):
        positional = [truths if value is condition else value for value in given]
        named = {key: truths if v is condition else v for key, v in keywords.items()}
        yield after, positional, named
