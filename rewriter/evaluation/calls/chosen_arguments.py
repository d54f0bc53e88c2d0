"""Truths and dimensions known only at run time, given to operations: a call for each of them."""

from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.calls.integer_arguments import names_at
from rewriter.evaluation.containers.containers import sequence_items
from rewriter.evaluation.operators.comparisons import ordered
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import Known, ScalarValue, TensorValue, Value

Called = tuple[State, list[Value], dict[str, Value]]

_DIMENSIONS = frozenset({"dim", "dim0", "dim1", "start_dim", "end_dim"})
_ADDS_ONE = frozenset({"unsqueeze", "stack"})
"""Operations with a dimension of the result, which has one more."""


def by_choice(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Iterator[Called] | None:
    """Branch on the first run-time truth or dimension; yield arguments with that known.

    ``name`` is the operation's; a method's receiver is the first positional argument. Returns
    None where there is nothing to branch on.
    """
    for value in (*positional, *keywords.values()):
        if isinstance(value, ScalarValue) and value.type is bool:
            choices: Iterator[tuple[State, Value]] = (
                (after, Known(truth)) for after, truth in truths(frame, node, state, value)
            )
            return _with(choices, value, positional, keywords)
    rank = _rank(state, positional)
    for place, value in [*enumerate(positional), *keywords.items()]:
        if rank is None or not (isinstance(value, ScalarValue) and value.type is int):
            continue
        if names_at(name, place) & _DIMENSIONS:
            most = rank + 1 if name in _ADDS_ONE else max(rank, 1)
            found = _dimensions(frame, node, state, value, [*range(most), *range(-most, 0)])
            return _with(found, value, positional, keywords)
    return None


def _with(
    choices: Iterator[tuple[State, Value]],
    chosen: Value,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Iterator[Called]:
    for after, known in choices:
        yield (
            after,
            [known if value is chosen else value for value in positional],
            {name: known if value is chosen else value for name, value in keywords.items()},
        )


def _dimensions(
    frame: Frame, node: cst.CSTNode, state: State, value: ScalarValue, numbers: list[int]
) -> Iterator[tuple[State, Value]]:
    if not numbers:
        frame.run.raise_known(state, IndexError("Dimension out of range"))
        return
    number, *others = numbers
    for after, equal in ordered(frame, node, state, cst.Equal, value, Known(number)):
        for tested, truth in truths(frame, node, after, equal):
            if truth:
                yield tested, Known(number)
            else:
                yield from _dimensions(frame, node, tested, value, others)


def _rank(state: State, positional: list[Value]) -> int | None:
    """Return the number of dimensions of the first argument; of a list, the most of its tensors.

    Concatenation leaves out empty tensors of one dimension.
    """
    first = positional[0] if positional else None
    items = sequence_items(state, first) if first is not None else None
    found = [first] if items is None else items
    return max((each.fake.dim() for each in found if isinstance(each, TensorValue)), default=None)
