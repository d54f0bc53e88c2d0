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


FROM = [(x, n) for x in (MIXED, POSITIVE, NEGATIVE) for n in (0, 1, 2)]


@case(inputs=FROM, messages=False)
def against_as_many_as_a_slice_leaves(x, n):
    """Errors against as many rows as a slice leaves, or one: another number is a RuntimeError"""
    chosen, rest = x[x[:, 1] > 0], x[n:] + 1
    mean = F.mse_loss(chosen, rest), F.l1_loss(rest, target=chosen)
    each = F.smooth_l1_loss(chosen, rest, reduction="none"), F.huber_loss(chosen, rest, delta=0.5)
    return *mean, *each, F.cosine_similarity(chosen, rest), torch.broadcast_tensors(chosen, rest)


@case(inputs=FOUR)
def against_one_row(x):
    """Errors against one row, which has a dimension less"""
    chosen = x[x[:, 1] > 0]
    return F.smooth_l1_loss(chosen, x[0]), F.mse_loss(x[0], chosen, reduction="none")
