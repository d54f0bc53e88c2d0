"""Functions of torch that make as many elements as a number of run time says."""

import torch

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case, noise

COUNTED = [
    (POSITIVE, 3),
    (NEGATIVE, 0),
    (MIXED, 1),
    (MIXED, 6),
    (POSITIVE, 2),
    (POSITIVE, 67),
    (MIXED, -1),
]


@case(inputs=COUNTED)
def from_one_to_another(x, n):
    """linspace between numbers, and between tensors; indices made of it"""
    between = torch.linspace(x.min(), x.max(), n)
    places = torch.linspace(0, 4, max(n, 1)).long()
    return torch.linspace(0.3, n, steps=n), between, torch.arange(5)[places]


@case(inputs=COUNTED, slow=True)
def windows(x, n):
    """Windows of a length known at run time, periodic and not"""
    hann = torch.hann_window(n), torch.hann_window(n, periodic=False)
    hamming = torch.hamming_window(n), torch.hamming_window(n, False, 0.5, 0.4)
    return hann, hamming, torch.blackman_window(n), torch.bartlett_window(n, periodic=False), x


@case(inputs=COUNTED, slow=True)
def other_windows(x, n):
    """The others, by a tensor of one integer"""
    count = (x > 0).sum() + n
    return torch.blackman_window(n, False), torch.bartlett_window(n), torch.hann_window(count)


@case(inputs=COUNTED)
def identities(x, n):
    """eye, square and not"""
    return torch.eye(n), torch.eye(n, 3), torch.eye(2, n, dtype=torch.float64), x


@case(inputs=[(noise(2, 4), noise(3, 4)), (noise(2, 4, seed=1), noise(3, 4, seed=2))])
def beside_known_counts(left, right):
    """Places repeated by counts that are known, set beside rows, stacked, and broadcast"""
    rows = torch.cat([left, right], dim=0)
    counts = torch.tensor([len(left), len(right)])
    places = torch.repeat_interleave(torch.arange(2, dtype=rows.dtype), counts)
    beside = torch.cat([places[:, None], rows], dim=1)
    if rows.sum() > 0:
        beside = beside * 2
    return beside, torch.stack([places, places * 2]), places[None].expand(2, 5)
