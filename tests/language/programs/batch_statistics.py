"""Layers that normalise by a batch: their statistics are kept from call to call."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim

from tests.language.harness import case, noise

SERIES = [(noise(4, 3),), (-noise(4, 3) * 2,), (noise(4, 3, seed=1) + 1,)]
COUNTS = [*SERIES, (noise(1, 3),), (noise(7, 3),), (noise(0, 3),), (noise(4, 3),)]


@case(inputs=SERIES, rounds=True)
class SetInTheCall(nn.Module):
    """A layer set to training mode in the call changes its statistics."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x):
        self.norm.train()
        y = self.norm(x)
        self.norm.eval()
        return y if x.sum() > 0 else -y, self.norm(x), self.norm.running_mean.clone()


@case(inputs=SERIES, rounds=True)
class StaysInTraining(nn.Module):
    """A part that no eval() reaches; the statistics are means of all batches, or of the last ones"""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4, momentum=None), nn.ReLU())
        self.norm = nn.BatchNorm2d(2, momentum=0.3, affine=False)

    def train(self, mode=True):
        return super().train()

    def forward(self, x):
        y = self.body(x)
        for _ in range(2):
            y = y + self.norm(y.reshape(2, 2, 2, 2)).reshape(4, 4)
        kept = self.body[1].running_var, self.norm.running_var, self.norm.running_mean
        return (y, *(each.clone() for each in kept), self.body[1].num_batches_tracked + 0)


@case(inputs=COUNTS, rounds=True, dynamic_shapes={"x": {0: Dim("n", max=9)}})
class AnyNumber(nn.Module):
    """A batch of one raises, and is counted; one of none changes nothing"""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x):
        mean, variance = self.norm.running_mean, self.norm.running_var
        try:
            y = F.batch_norm(x, mean, variance, training=True, momentum=0.2)
        except ValueError as error:
            return str(error), mean + 0
        return y, mean + 0, torch.stack([mean, variance])


@case(inputs=[(noise(2, 3, 5),), (-noise(2, 3, 5),)], rounds=True)
class OfEachInstance(nn.Module):
    """Statistics are means of those of all instances; torch's functions keep them, too"""

    def __init__(self):
        super().__init__()
        self.norm = nn.InstanceNorm1d(3, track_running_stats=True)

    def forward(self, x):
        kept = self.norm.running_mean, self.norm.running_var
        self.norm.train()
        y = self.norm(x)
        self.norm.eval()
        z = torch.instance_norm(x, None, None, *kept, True, 0.2, 1e-5, False)
        z = z + torch.batch_norm(x, None, None, *kept, True, 0.2, 1e-5, False)
        return y if x.sum() > 0 else -y, z, self.norm(x), kept[0] + 0, kept[1] + 0
