"""Truths and dimensions known only at run time, given to operations: a call for each of them."""

import inspect
import types
from collections.abc import Iterator
from typing import TypeGuard

import libcst as cst
import torch

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.integer_arguments import names_at
from rewriter.evaluation.calls.misfits_of_torch import misfit_of_tensors
from rewriter.evaluation.containers.containers import sequence_items
from rewriter.evaluation.operators.comparisons import ordered
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.run import Frame
from rewriter.prelude.shaping import out_of_range
from rewriter.state import State
from rewriter.values import Known, ScalarValue, TensorValue, TupleValue, Value

Called = tuple[State, list[Value], dict[str, Value]]

_DIMENSIONS = frozenset(
    {"dim", "dim0", "dim1", "dim2", "start_dim", "end_dim", "dimension"}
    | {"axis", "axis0", "axis1", "source", "destination"}
)
_MANY = frozenset({"dim", "dims", "source", "destination"})
"""Where several dimensions are given at once: a tuple, or all arguments from there on."""
_COUNTS = frozenset({"tile", "tensordot"})
"""Operations whose ``dims`` are no dimensions."""
_ADDS_ONE = frozenset({"unsqueeze", "stack", "diag_embed"})
"""Operations with a dimension of the result, which has one more."""


def by_choice(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    name: str,
    positional: list[Value],
    keywords: dict[str, Value],
    function: object = None,
) -> Iterator[Called] | None:
    """Branch on the first run-time truth or dimension; yield arguments with that known.

    ``name`` is the operation's; a method's receiver is the first positional argument. A
    ``function`` of Python's own says itself what its parameters are: ``F.unfold`` has a kernel's
    size where the method has a dimension. Returns None where there is nothing to branch on.
    """
    for value in (*positional, *keywords.values()):
        if isinstance(value, ScalarValue) and value.type is bool:
            choices: Iterator[tuple[State, Value]] = (
                (after, Known(truth)) for after, truth in truths(frame, node, state, value)
            )
            return _with(choices, value, positional, keywords)
    rank = _rank(state, positional)
    arguments: list[tuple[int | str, Value]] = [*enumerate(positional), *keywords.items()]
    for place, value in arguments if rank is not None else ():
        chosen = _dimension_in(state, name, place, value, function)
        if chosen is not None:
            called = getattr(torch.Tensor, name, None) if function is None else function
            error = misfit_of_tensors(state, called, positional, keywords) if called else None
            if error is not None:
                frame.run.raise_known(state, error)
                return iter(())
            most = (rank or 0) + 1 if name in _ADDS_ONE else max(rank or 0, 1)
            found = _dimensions(frame, node, state, chosen, most)
            return _with(found, chosen, positional, keywords)
    return None


def _dimension_in(
    state: State, name: str, place: int | str, value: Value, function: object
) -> ScalarValue | None:
    """Return the first run-time integer of an argument that says a dimension or several."""
    given = (value,) if _is_integer(value) or place == 0 else sequence_items(state, value) or ()
    chosen = next((item for item in given if _is_integer(item)), None)
    if chosen is None:
        return None
    named = _names(function, name, place)
    if isinstance(place, str):
        named |= {place}  # also of functions of torch.nn.functional
    elif not named and place > 0:
        named = names_at(name, 1) & {"dims"}  # x.permute(0, 2, 1)
    allowed = _DIMENSIONS | _many(name) if chosen is value else _many(name)
    return chosen if named & allowed else None


def _names(function: object, name: str, place: int | str) -> frozenset[str]:
    if isinstance(function, types.FunctionType) and isinstance(place, int):
        return frozenset([*inspect.signature(function).parameters][place : place + 1])
    return names_at(name, place)


def _is_integer(value: Value) -> TypeGuard[ScalarValue]:
    """Return whether this is an integer of run time."""
    return isinstance(value, ScalarValue) and value.type is int


def _many(name: str) -> frozenset[str]:
    return frozenset() if name in _COUNTS else _MANY


def _with(
    choices: Iterator[tuple[State, Value]],
    chosen: Value,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Iterator[Called]:
    for after, known in choices:

        def put(value: Value, after: State = after, known: Value = known) -> Value:
            if value is chosen:
                return known
            items = sequence_items(after, value) or ()
            if not any(item is chosen for item in items):
                return value
            return TupleValue(tuple(known if item is chosen else item for item in items))

        yield after, [put(value) for value in positional], {n: put(v) for n, v in keywords.items()}


def _dimensions(
    frame: Frame, node: cst.CSTNode, state: State, value: ScalarValue, most: int
) -> Iterator[tuple[State, Value]]:
    left = [state]
    for number in (*range(most), *range(-most, 0)):
        before, left = left, []
        for each in before:
            for after, equal in ordered(frame, node, each, cst.Equal, value, Known(number)):
                for tested, truth in truths(frame, node, after, equal):
                    if truth:
                        yield tested, Known(number)
                    else:
                        left.append(tested)
    for none in left:
        yield from call_value(frame, node, none, Known(out_of_range), [value, Known(most)], {})


def _rank(state: State, positional: list[Value]) -> int | None:
    """Return the number of dimensions of the first argument; of a list, the most of its tensors.

    Concatenation leaves out empty tensors of one dimension.
    """
    first = positional[0] if positional else None
    items = sequence_items(state, first) if first is not None else None
    found = [first] if items is None else items
    return max((each.fake.dim() for each in found if isinstance(each, TensorValue)), default=None)
