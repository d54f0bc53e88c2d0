"""Losses and statistics of what a mask chooses: NaN, or nothing, where that is nothing."""

import torch
import torch.nn.functional as F

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

FOUR = [(MIXED,), (POSITIVE,), (NEGATIVE,), (ZERO,)]


@case(inputs=FOUR)
def losses(x):
    """The mean of no squared errors is NaN, their sum is 0"""
    chosen = x[x > 0]
    target = chosen.sigmoid()
    mean = F.mse_loss(chosen, target), F.l1_loss(chosen, target)
    return *mean, F.mse_loss(chosen, target, reduction="sum")


@case(inputs=FOUR)
def spreads(x):
    """Variances, with and without a mean beside them"""
    chosen = x[x > 0]
    several = x[x.sum(1) > 0]
    of_all = chosen.var(unbiased=False), chosen.std(unbiased=False), *torch.var_mean(chosen)
    return *of_all, several.var(0), several.var(1, keepdim=True)
