"""Neighbours among what a mask leaves: all but the last one, beside all but the first"""

import torch

from tests.language.harness import case

ROW = torch.tensor([1.0, -2.0, 3.0, 4.0, -5.0])
ROWS = [(ROW,), (-ROW,), (ROW.abs(),), (-ROW.abs(),), (ROW - 3.5,)]


@case(inputs=ROWS)
def pairs_of_neighbours(x):
    """They are joined: both have one element less than what is left, or none"""
    left = x[x > 0]
    pairs = torch.stack([left[:-1], left[1:]], 1)
    return pairs if pairs.sum() > 5 else left


@case(inputs=ROWS)
def steps(x):
    """They are subtracted; more than one is left out at the ends"""
    left = x[x > 0]
    step, second = left[1:] - left[:-1], left[2:] * left[:-2]
    return step.sum(), second, len(step), len(second)
