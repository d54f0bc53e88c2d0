"""Powers of real numbers, in Python."""

import math


def real_power(base, exponent):
    """Return ``base**exponent``, a float; what is a complex number in Python raises."""
    if math.isfinite(base) and base < 0 and math.isfinite(exponent) and exponent % 1 != 0:
        raise ArithmeticError("a negative number to a power that is no whole number is complex")
    if base == 0 and exponent < 0 and math.isfinite(exponent):
        raise ZeroDivisionError("0.0 cannot be raised to a negative power")
    return math.pow(base, exponent)
