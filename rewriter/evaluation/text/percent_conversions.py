"""What ``%d`` and ``%f`` make of tensors: the number in one of a single element."""

import re

import libcst as cst

from rewriter.evaluation.operators.truth import item_of
from rewriter.evaluation.run import Frame
from rewriter.state import State
from rewriter.values import TensorValue, Value

_CONVERSION = re.compile(r"%(?:%|[#0\- +]*\d*(?:\.\d+)?[hlL]?([a-zA-Z]))")
_NUMERIC = frozenset("dieEfFgG")


def with_numbers(
    frame: Frame, node: cst.CSTNode, state: State, template: str, values: list[Value]
) -> list[Value]:
    """Return the operands of a template, with numbers for the tensors that it shows as numbers.

    They are as they were where the template takes more or fewer, widths, or names.
    """
    kinds = [found.group(1) for found in _CONVERSION.finditer(template) if found.group(1)]
    if len(kinds) != len(values) or "%" in _CONVERSION.sub("", template):
        return values
    return [
        _number(frame, node, state, value) if kind in _NUMERIC else value
        for kind, value in zip(kinds, values, strict=True)
    ]


def _number(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> Value:
    """Return the number in a tensor that is known to have one element; other values as they are."""
    if not isinstance(value, TensorValue) or value.fake.dtype.is_complex:
        return value
    if not all(isinstance(size, int) and size == 1 for size in value.fake.shape):
        return value
    ((_, number),) = item_of(frame, node, state, value)
    return number
