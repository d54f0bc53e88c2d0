"""The floating-point number next to another, without its bits."""

import numpy as np

from dycl.backends.onnx_graphs.translations.values import FLOATS, Value, number, op


def nextafter(self: Value, other: Value) -> Value:
    """Translate ``nextafter``.

    Rump, Zimmermann, Boldo and Melquiond, "Computing predecessor and successor in rounding to
    nearest", BIT 49 (2009), algorithm 2: a step of a little more than half a unit in the last
    place, taken on a multiple where it would be no normal number.
    """
    kind = np.finfo(FLOATS[self.dtype])
    unit, least = float(kind.eps) / 2, float(kind.smallest_subnormal)
    if unit * unit < least:
        raise NotImplementedError("nextafter of half precision")
    none = number(self, 0.0)
    size = op.Abs(self)
    is_small = op.Less(size, number(self, least / unit / unit / 2))
    scaled = op.Where(is_small, op.Mul(self, number(self, 1 / unit)), self)
    step = op.Mul(op.Abs(scaled), number(self, unit * (1 + 2 * unit)))
    steps = op.Where(op.Less(self, other), step, op.Neg(step))
    near = op.Add(scaled, steps)
    near = op.Where(is_small, op.Mul(near, number(self, unit)), near)
    least_steps = op.Where(op.Less(self, other), number(self, least), number(self, -least))
    nearest = op.Add(self, least_steps)
    near = op.Where(op.Less(size, number(self, least / unit)), nearest, near)
    largest = op.Mul(op.Sign(self), number(self, float(kind.max)))
    near = op.Where(op.IsInf(self), largest, near)
    near = op.Where(op.Equal(near, none), op.Mul(self, none), near)
    near = op.Where(op.Equal(self, other), other, near)
    is_unknown = op.Or(op.IsNaN(self), op.IsNaN(other))
    return op.Where(is_unknown, number(self, float("nan")), near)
