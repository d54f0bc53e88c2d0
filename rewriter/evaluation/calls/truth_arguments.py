"""Truths known only at run time among the arguments of operations: a call for each of them."""

from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import Known, ScalarValue, Value


def holds_truth(values: list[Value]) -> bool:
    """Return whether one of the arguments is True or False by a run-time value."""
    return any(map(_is_truth, values))


def by_truth(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Iterator[tuple[State, list[Value], dict[str, Value]]]:
    """Branch on the first run-time truth among arguments; yield them with that truth known."""
    flag = next(value for value in (*positional, *keywords.values()) if _is_truth(value))
    for after, truth in truths(frame, node, state, flag):
        known = Known(truth)
        yield (
            after,
            [known if value is flag else value for value in positional],
            {name: known if value is flag else value for name, value in keywords.items()},
        )


def _is_truth(value: Value) -> bool:
    return isinstance(value, ScalarValue) and value.type is bool
