"""Methods of sets whose elements are known, which may be given what only runs know."""

import libcst as cst

from rewriter.evaluation.containers.identity_keys import called_with_key, holds_own_keys
from rewriter.evaluation.containers.set_methods import keys_of_dict, set_method
from rewriter.evaluation.control.taking_items import filled
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.run_time_sets import run_time_set_method
from rewriter.state import State
from rewriter.values import NONE, IteratorValue, Reference, SetCell, Value


def method_of_set(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    receiver: Reference,
    cell: SetCell,
    name: str,
    positional: list[Value],
) -> Outcomes:
    """Evaluate ``receiver.name(arguments)`` of a set of known elements."""
    if name == "update" and _has_iterator(positional):
        return _updated_set(frame, node, state, receiver, positional)
    if holds_own_keys(state, positional):
        return called_with_key(frame, node, state, receiver, name, positional)
    given = [keys_of_dict(state, value) for value in positional]
    if any(known_object(state, value) is None for value in given):
        return run_time_set_method(frame, node, state, receiver, name, given)
    return set_method(frame, node, state, receiver, cell, name, given)


def _has_iterator(values: list[Value]) -> bool:
    return any(isinstance(value, IteratorValue) for value in values)


def _updated_set(
    frame: Frame, node: cst.CSTNode, state: State, receiver: Reference, positional: list[Value]
) -> Outcomes:
    if len(positional) != 1 or not isinstance(positional[0], IteratorValue):
        frame.refuse("DYCL051", node, "update() of a set by several iterators")
    for after in filled(frame, node, state, positional[0], receiver):
        yield after, NONE
