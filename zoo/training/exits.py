"""Thresholds of early exits: which confidence lets the wanted share of inputs leave where."""

import torch
from torch import Tensor


def geometric_shares(exits: int, ratio: float) -> Tensor:
    """Return the share of inputs for each exit, each `ratio` times the one before.

    >>> geometric_shares(3, 0.5).tolist()
    [0.5714285969734192, 0.2857142984867096, 0.1428571492433548]
    """
    shares = torch.tensor([ratio**exit_index for exit_index in range(exits)])
    return shares / shares.sum()


def thresholds_for(confidences: Tensor, shares: Tensor) -> Tensor:
    """Return a threshold for each exit but the last, from [exits, inputs] confidences.

    Exit by exit, of the inputs that are still there the most confident leave, until the share is
    full. The threshold lies in the middle between the last that leaves and the first that stays.
    """
    exits, count = confidences.shape
    left = torch.ones(count, dtype=torch.bool)
    thresholds = []
    for exit_index in range(exits - 1):
        own = confidences[exit_index]
        ordered = own[left].sort(descending=True).values
        leaving = min(max(1, round(float(shares[exit_index]) * count)), len(ordered) - 1)
        thresholds.append((ordered[leaving - 1] + ordered[leaving]) / 2)
        left &= own < thresholds[-1]
    return torch.stack(thresholds)
