"""Ranges as expressions of the host."""

import ast

from rewriter.evaluation.rendering import call_expression, render
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import Known, RunTimeRange


def range_expression(frame: Frame, state: State, value: RunTimeRange | Known) -> ast.expr:
    """Return the expression of a range."""
    function = frame.run.builder.reference(range, "range")
    if isinstance(value, Known):
        numbers = (value.value.start, value.value.stop, value.value.step)
        constants = [frame.run.builder.reference(number, None) for number in numbers]
        return call_expression(function, constants)
    bounds = [render(frame.run, state, bound) for bound in (value.start, value.stop)]
    step = ast.Constant(value=value.step)
    stride = step if value.stride is None else render(frame.run, state, value.stride)
    return call_expression(function, [*bounds, stride])
