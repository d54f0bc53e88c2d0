"""The loss of SkipNets with either gate: classify, and keep each gate's rate of running blocks."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from zoo.training.routine import LossFunction

RUN_RATE = 0.55
"""The share of pictures for which a gate should run its block."""


def gated_loss(model: nn.Module, *, doubt_weight: float) -> LossFunction:
    """Return cross entropy plus two penalties that grow in the first half of the training.

    One holds each gate's decisions, averaged over the batch, to `RUN_RATE`; as gates are
    deterministic but for a little noise, they can keep the rate only by looking at the input.
    The other is the variance of a coin with the gate's probability: it makes gates decisive, so
    that rounding errors do not change paths.
    """

    def loss(pictures: Tensor, labels: Tensor, done: float) -> Tensor:
        logits, masks, probs = model(pictures)
        rates = torch.stack(masks).mean(dim=1)
        off_rate = (rates - RUN_RATE).square().mean()
        run = torch.stack([prob.view(-1) for prob in probs])
        doubt = (run * (1 - run)).mean()
        growing = min(1.0, 2.0 * done)
        return F.cross_entropy(logits, labels) + growing * (6.0 * off_rate + doubt_weight * doubt)

    return loss
