"""Logarithms of sums of powers, which the exporter computes by way of numbers that overflow."""

import math
from functools import partial
from itertools import accumulate

from dycl.backends.onnx_graphs.translations.reductions import MOST_FACTORS
from dycl.backends.onnx_graphs.translations.values import Value, axes, number, op


def log_sigmoid(self: Value) -> Value:
    """Translate ``log_sigmoid``."""
    below = op.Where(op.Less(self, number(self, 0.0)), self, number(self, 0.0))
    return op.Sub(below, _log_of_one_and(self, op.Neg(op.Abs(self))))


def logaddexp(self: Value, other: Value) -> Value:
    """Translate ``logaddexp``."""
    return _together(self, self, other)


def logaddexp2(self: Value, other: Value) -> Value:
    """Translate ``logaddexp2``."""
    two = number(self, math.log(2))
    rest = _log_of_one_and(self, op.Mul(_minus_distance(self, self, other), two))
    return op.Add(op.Max(self, other), op.Div(rest, two))


def logcumsumexp(self: Value, dim: int) -> Value:
    """Translate ``logcumsumexp``: from first to last, as PyTorch does."""
    if len(self.shape) == 0:
        return op.Identity(self)
    count = self.shape[dim]
    if not isinstance(count, int) or not 0 < count <= MOST_FACTORS:
        raise NotImplementedError(f"a running log of sums of more than {MOST_FACTORS} elements")
    terms = [op.Slice(self, axes(i), axes(i + 1), axes(dim)) for i in range(count)]
    return op.Concat(*accumulate(terms, partial(_together, self)), axis=dim)


def _together(typed: Value, x: Value, y: Value) -> Value:
    """Return the log of the sum of two powers; ``typed`` has the element type of both."""
    return op.Add(op.Max(x, y), _log_of_one_and(typed, _minus_distance(typed, x, y)))


def _minus_distance(typed: Value, x: Value, y: Value) -> Value:
    """Return 0 between equal infinities, too."""
    return op.Where(op.Equal(x, y), number(typed, 0.0), op.Neg(op.Abs(op.Sub(x, y))))


def _log_of_one_and(typed: Value, exponent: Value) -> Value:
    return op.Log(op.Add(number(typed, 1.0), op.Exp(exponent)))
