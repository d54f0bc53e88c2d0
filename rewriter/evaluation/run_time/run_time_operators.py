"""Operators and comparisons of containers that exist at run time only."""

import ast
from collections import OrderedDict, defaultdict

import libcst as cst

from rewriter.evaluation.containers.containers import listed_items
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.rendering import known_object, render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.run_time.counters import counter_operator
from rewriter.evaluation.run_time.merged_mappings import mapping_operator
from rewriter.evaluation.run_time.run_time_concatenation import sequence_operator
from rewriter.evaluation.run_time.run_time_objects import host_type, run_time_cell
from rewriter.evaluation.run_time.run_time_sets import set_operator
from rewriter.host_type_properties import has_instance, has_tensor
from rewriter.host_types import HostType, MappingType, MixedListType, SequenceType, TupleType
from rewriter.state import State
from rewriter.values import Known, Reference, ScalarValue, TensorValue, Value

_PLAIN = (type(None), bool, int, float, complex, str, bytes)
"""Types whose values are equal to no container."""


def host_operator(
    frame: Frame, node: cst.CSTNode, state: State, operands: tuple[Value, ...], name: str
) -> Outcomes | None:
    """Return the outcomes of an operator that the host applies to containers, else None."""
    if len(operands) != 2:
        return None
    left, right = operands
    times = name == "mul" and any(
        isinstance(operand, ScalarValue | TensorValue) for operand in operands
    )
    run_time = any(run_time_cell(state, operand) is not None for operand in operands)
    if not run_time and not times:
        return None
    made = sequence_operator(frame, node, state, name, left, right)
    made = made or set_operator(frame, node, state, name, left, right)
    made = made or counter_operator(frame, node, state, name, left, right)
    return made or mapping_operator(frame, node, state, name, left, right)


def host_comparison(
    frame: Frame, node: cst.CSTNode, state: State, left: Value, right: Value, symbol: ast.cmpop
) -> Outcomes | None:
    """Return the outcomes of comparing containers of which one is run-time, else None."""
    if all(run_time_cell(state, value) is None for value in (left, right)):
        return None
    by_equality = isinstance(symbol, ast.Eq | ast.NotEq)
    for value in (left, right):
        if not isinstance(value, Reference) and known_object(state, value) is None:
            return None
        if isinstance(value, Known) and type(value.value) in _PLAIN and by_equality:
            return iter([(state, Known(isinstance(symbol, ast.NotEq)))])
        if isinstance(value, Known) and not isinstance(value.value, list | tuple | dict | set):
            return None
    types = [host_type(frame, node, state, value) for value in (left, right)]
    if any(has_tensor(given) or has_instance(given) for given in types):
        against_empty = by_equality and any(_is_empty(state, value) for value in (left, right))
        # Python looks at the items of no container then.
        if not against_empty or not all(_compares_lengths_first(given) for given in types):
            frame.refuse("DYCL053", node, "containers of tensors or of objects are compared")
    return iter([_flag(frame, node, state, left, right, symbol)])


def _is_empty(state: State, value: Value) -> bool:
    """Return whether a value is a container that certainly holds nothing."""
    return listed_items(state, value) == ()


def _compares_lengths_first(given: HostType) -> bool:
    """Return whether it is a plain list, dict or tuple: at other lengths, no items are compared."""
    return isinstance(given, SequenceType | MappingType | TupleType | MixedListType) and (
        given.kind in (list, dict, tuple, OrderedDict, defaultdict)
    )


def _flag(
    frame: Frame, node: cst.CSTNode, state: State, left: Value, right: Value, symbol: ast.cmpop
) -> tuple[State, Value]:
    expression = ast.Compare(
        left=render(frame.run, state, left),
        ops=[symbol],
        comparators=[render(frame.run, state, right)],
    )
    return state, host_scalar(frame.run, state, expression, bool, frame.origin(node), effect=True)
