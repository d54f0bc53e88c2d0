"""Normalisation by what is given, whose mean and variance go into statistics that are kept."""

import torch
import torch.nn.functional as F


def batch_norm(
    input, running_mean, running_var, weight=None, bias=None, training=True, momentum=0.1, eps=1e-05
):
    """``F.batch_norm`` in training, with statistics."""
    normalised = F.batch_norm(input, None, None, weight, bias, True, 0.0, eps)
    count = input.numel() // max(input.size(1), 1)
    if count > 0:
        dims = [0, *range(2, input.dim())]
        variance, mean = torch.var_mean(input.to(running_mean.dtype), dims, correction=1)
        _keep(running_mean, mean, momentum)
        _keep(running_var, variance, momentum)
    return normalised


def instance_norm(
    input, running_mean, running_var, weight=None, bias=None, use_input_stats=True, momentum=0.1,
    eps=1e-05,
):  # fmt: skip
    """``F.instance_norm`` by its input, with statistics: means of those of all instances."""
    normalised = F.instance_norm(input, None, None, weight, bias, True, 0.0, eps)
    dims = [*range(2, input.dim())]
    variance, mean = torch.var_mean(input.to(running_mean.dtype), dims, correction=1)
    _keep(running_mean, mean.mean(0), momentum)
    _keep(running_var, variance.mean(0), momentum)
    return normalised


def _keep(statistic, now, momentum):
    statistic.copy_(now * momentum + statistic * (1 - momentum))
