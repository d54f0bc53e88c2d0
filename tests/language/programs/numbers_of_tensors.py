"""Numbers that tensors hold, where Python or its library asks for a number."""

import math

import torch
from torch import Tensor

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case, noise

BOTH = [(MIXED,), (NEGATIVE,), (POSITIVE,)]


@case(inputs=BOTH)
def functions_of_math(x: Tensor) -> tuple[float, int, int, bool, int]:
    """``math`` takes a tensor of one element for its number, an integer's for its index."""
    total = x.sum()
    if math.exp(total) > 1 and math.isfinite(total):  # known
        return 0.0, 0, 0, False, 0
    return (
        math.log(total.abs(), 2) + math.atan2(total, x[0, 0]),
        math.floor(total),
        math.ceil(x[:1, 1]),
        math.isnan(total),
        math.gcd((x > 0).sum(), 4),
    )


@case(inputs=BOTH)
def conversions_that_fail(x: Tensor) -> list[str]:
    """What PyTorch raises for tensors of another size than one depends on who asks."""
    errors = []
    for convert in (int, float, bool, lambda t: t.item(), lambda t: t.__float__(), math.sqrt):
        for tensor in (x[0], x[:0, 0], torch.ones(2)):
            try:
                errors.append(str(convert(tensor)))  # known
            except (ValueError, RuntimeError) as error:
                errors.append(type(error).__name__ + str(error))
    return errors


@case(inputs=[(noise(4, seed=s),) for s in (1, 2, 3, 5, 8)] + [(-torch.ones(4),)], messages=False)
def of_run_time_size(x: Tensor) -> tuple[Tensor, str]:
    """A tensor of run-time size has a number where it has one element, and a truth."""
    kept = x[x > 0.5]
    kind = ""
    try:
        if kept:  # known
            return x + kept.item(), kind
    except RuntimeError as error:
        kind = type(error).__name__
    if x[0] > 0:
        return x + float(kept), kind
    return x, kind
