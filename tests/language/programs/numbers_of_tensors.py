"""Numbers that tensors hold, where Python or its library asks for a number."""

import math

import torch
import torch.nn.functional as F
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


SCALES = [(MIXED, torch.tensor(n)) for n in (1.5, -0.5, float("nan"), float("inf"), 3.0)]


@case(inputs=SCALES)
def one_bound_is_a_tensor(x, t):
    """Beside a bound that is a number, a tensor of no dimension is its number, too."""
    both = x.clamp(0.0, max=t), torch.clip(x, t, 5), torch.clamp(x, min=-1, max=t * 2)
    return torch.clamp(x, 0, t), both, x.clamp(None, t), x.clamp(t, t + 1)


@case(inputs=SCALES)
def clamped_in_place(x, t):
    """The same in place, in a part of a tensor."""
    y = x.clone()
    y[0].clamp_(-1, t)
    y[1:].clip_(max=5, min=t)
    return y


@case(inputs=SCALES)
class ClippedActivation(torch.nn.Module):
    """Quantised networks learn the upper bound of their activations."""

    def __init__(self):
        super().__init__()
        self.upper_bound = torch.nn.Parameter(torch.tensor(1.5))

    def forward(self, x, t):
        """The bound is a weight's data; a number of this call; the largest of a tensor."""
        clipped = torch.clamp(x, 0, self.upper_bound.data), x.clamp(0, self.upper_bound * t)
        return clipped, x.clamp(-1, x.max() * 0.5), x.clamp(0, (x > 0).sum())


@case(inputs=[(MIXED.int(), torch.tensor(1)), (MIXED.int() * 3, torch.tensor(2))])
def integers_between_a_number_and_a_tensor(x, t):
    """Integers stay integers."""
    return x.clamp(0, t), torch.clamp(x, -t, 5)


@case(inputs=SCALES)
def filled_and_replaced_by_tensors(x, t):
    """What is filled up with, and what stands for NaN and for what is infinite."""
    odd = torch.where(x > 0, x, x / 0)
    return F.pad(x, (1, 1), value=t), torch.nan_to_num(odd, neginf=t), torch.nan_to_num(odd, t, 2.0)
