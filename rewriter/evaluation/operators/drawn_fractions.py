"""Comparisons of drawn numbers that come out one way, whatever is drawn: ``random() < 0``."""

import math
import operator
from collections.abc import Callable
from typing import Any

from rewriter.evaluation.run import Run
from rewriter.values import Known, ScalarValue, Value

_LEAST, _LARGEST = 0.0, math.nextafter(1.0, 0.0)


def certain_of_drawn(
    run: Run, function: Callable[[Any, Any], Any], left: Value, right: Value
) -> bool | None:
    """Return what a comparison of a number from 0 to 1 gives, None where that depends on it."""
    match left, right:
        case ScalarValue(name=name), Known(value=bool() | int() | float() as bound):
            ends = [function(end, bound) for end in (_LEAST, _LARGEST)]
        case Known(value=bool() | int() | float() as bound), ScalarValue(name=name):
            ends = [function(bound, end) for end in (_LEAST, _LARGEST)]
        case _:
            return None
    if name not in run.fractions or ends[0] != ends[1]:
        return None
    if function in (operator.eq, operator.ne) and _LEAST <= bound <= _LARGEST:
        return None
    return bool(ends[0])
