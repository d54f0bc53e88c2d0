"""Elements of containers: Python takes the very same object for equal before it compares.

That matters for what is not equal to itself, a NaN: ``nan in [nan]``, ``(nan,) == (nan,)``.
"""

import ast

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.rendering import render
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import searching
from rewriter.size_expressions import is_fixed
from rewriter.state import State
from rewriter.values import Known, ScalarValue, TensorValue, Value


def one_or_equal(
    frame: Frame, node: cst.CSTNode, state: State, left: Value, right: Value
) -> Outcomes | None:
    """Compare two elements where one may be the other and yet not equal it; None elsewhere.

    The host has the very numbers that the program has, and asks Python. Of tensors that were in
    its containers it does not know which is which: where both hold NaN, it says so.
    """
    if _may_be_nan(left) and _may_be_nan(right):
        one, other = (
            ast.Tuple(elts=[render(frame.run, state, value)], ctx=ast.Load())
            for value in (left, right)
        )
        test = ast.Compare(left=one, ops=[ast.Eq()], comparators=[other])
        origin = frame.origin(node)
        return iter([(state, host_scalar(frame.run, state, test, bool, origin, may_raise=False))])
    if _holds_one_float(left) and _holds_one_float(right) and _were_held(frame, left, right):
        return call_value(frame, node, state, Known(searching.is_found), [left, right], {})
    return None


def _may_be_nan(value: Value) -> bool:
    return isinstance(value, ScalarValue) and value.type not in (int, bool)


def _holds_one_float(value: Value) -> bool:
    if not isinstance(value, TensorValue):
        return False
    fake = value.fake
    return fake.is_floating_point() and is_fixed(fake) and fake.numel() == 1


def _were_held(frame: Frame, *values: Value) -> bool:
    names = {value.name for value in values if isinstance(value, TensorValue)}
    return not frame.run.storages.contained.isdisjoint(names)
