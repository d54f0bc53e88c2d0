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


@case(inputs=FOUR)
def places_repeated(x):
    """As many of each place as a number says, of which there are none"""
    counts = (x > 0).sum(1)[x.sum(1) > 0]
    places = torch.repeat_interleave(counts)
    return places, torch.repeat_interleave(counts.int()), counts.index_select(0, places)


@case(inputs=FOUR)
def divided_by_their_number(x):
    """Integers, divided by how many there are: no division where there are none"""
    places = (x > 0).nonzero()
    count = places.shape[0]
    whole = places // count, places.div(count, rounding_mode="trunc")
    few = places.int()
    return *whole, places % count, torch.fmod(places, count), few % count, torch.fmod(few, count)


@case(inputs=FOUR)
def pairs_of_pairs(x):
    """Sizes that are products of sizes: what they are at most goes beyond 64 bits"""
    counts = (x > 0).sum(1)[x.sum(1) > 0]
    below = torch.tril_indices(int(counts.sum()), 3, -1).unsqueeze(1).expand(-1, counts.numel(), -1)
    wanted = (torch.arange(below.shape[2]) < counts.unsqueeze(1)).view(-1)
    chosen = below.flatten(1, 2)[:, wanted]
    return chosen * 2 if chosen.sum() > 2 else chosen
