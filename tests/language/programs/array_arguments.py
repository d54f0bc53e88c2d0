"""Arguments that are numpy arrays."""

import numpy as np
import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

ARRAYS = [(POSITIVE.numpy(),), (NEGATIVE.numpy(),)]


@case(inputs=ARRAYS)
class Policy(nn.Module):
    """A policy takes an observation as an array, and decides by its content"""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, observation):
        x = torch.from_numpy(observation)
        if observation.sum() > 0:
            x = self.layer(x)
        return x.relu()


@case(inputs=ARRAYS)
def computed_with_numpy(x):
    """numpy computes on an argument before it becomes a tensor"""
    scaled = (x - x.mean()) / np.maximum(x.std(), 1e-6)
    return torch.as_tensor(scaled) * 2, scaled.shape[0]


@case(inputs=[(POSITIVE, np.array([1, 0])), (NEGATIVE, np.array([0, 0]))])
def array_of_indices(x, order):
    """An array of integers chooses the rows of a tensor"""
    return x[torch.from_numpy(order)]


@case(inputs=[(POSITIVE, {"a": np.float32([1, 2, 3])}), (NEGATIVE, {"a": np.float32([3, 2, 1])})])
def array_in_a_dict(x, batch):
    """An array in a dict argument"""
    if batch["a"][0] > 2:
        return x + torch.from_numpy(batch["a"])
    return x


@case(inputs=ARRAYS, refused="DYCL034")
def memory_of_an_array_written(x):
    """A tensor over the memory of an argument is written in place"""
    y = torch.from_numpy(x)
    y += 1  # <- refused
    return y


NUMBERS = [(POSITIVE, np.float32(2.5)), (NEGATIVE, np.float32(-30)), (POSITIVE, np.float32(11))]


@case(inputs=NUMBERS)
def number_of_numpy(x, threshold):
    """A number of numpy's is one: of its type, and no array."""
    kind = type(threshold).__name__, isinstance(threshold, np.floating), threshold.dtype.name
    if x.sum() > threshold:
        return x * float(threshold), threshold + 1, kind
    threshold += 1
    return x - threshold, f"{threshold:.2f}", kind


@case(inputs=[(POSITIVE, np.int64(2)), (NEGATIVE, np.int64(0)), (POSITIVE, np.int64(3))])
def integer_of_numpy(x, count):
    """An integer of numpy's counts, and chooses."""
    total = x
    for k in range(count):
        total = total * 2 + k
    return total, x[:, : int(count)].sum(), count % 2 == 0, {"count": count}


class _Setting:
    def __init__(self, limit, on):
        self.limit, self.on = limit, on  # at import


@case(
    inputs=[
        (POSITIVE, _Setting(np.float64(2.5), np.bool_(True))),
        (POSITIVE, _Setting(np.float64(20), np.bool_(True))),
        (NEGATIVE, _Setting(np.float64(2.5), np.bool_(False))),
    ]
)
def numbers_in_an_object(x, setting):
    """Numbers of numpy's in an object that is an argument."""
    if setting.on and x.sum() > setting.limit:
        return x - setting.limit
    return setting.limit * 2, not setting.on


@case(inputs=[(POSITIVE, np.complex64(1j))], refused="DYCL072")
def complex_of_numpy(x, number):
    """A complex number of numpy's"""
    return x * number.real if x.sum() > 0 else x  # known
