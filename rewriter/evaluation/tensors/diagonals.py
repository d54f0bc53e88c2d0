"""Diagonals written in place: as the prelude writes them."""

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import diagonals
from rewriter.size_expressions import is_dense_layout
from rewriter.state import State
from rewriter.values import Known, TensorValue, Value


def filled_diagonal(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes | None:
    """Fill the diagonal of a matrix that lies in memory row by row; None for other calls."""
    if name != "fill_diagonal_" or not set(keywords) <= {"fill_value"}:
        return None
    tensor, *numbers = [*positional, *keywords.values()]
    if not isinstance(tensor, TensorValue) or len(numbers) != 1:
        return None
    number = known_object(state, numbers[0])
    fake = state.current(tensor).fake
    if number is None or type(number.value) not in (bool, int, float):
        return None
    if fake.dim() != 2 or not is_dense_layout(fake):
        return None
    return call_value(frame, node, state, Known(diagonals.fill_diagonal_), [tensor, number], {})
