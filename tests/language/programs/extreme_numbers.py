"""Numbers that operators are not made for: infinities, NaN, the largest ones, doubles."""

import torch.nn.functional as F
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case


class NormalizedDoubles(nn.Module):
    """Layers that normalize doubles, with and without statistics of their own."""

    def __init__(self):
        super().__init__()
        self.layer, self.known = nn.LayerNorm(3, eps=0.1).double(), nn.BatchNorm1d(2).double()
        self.group, self.instance = nn.GroupNorm(2, 2).double(), nn.InstanceNorm1d(2).double()

    def forward(self, x):
        y = self.layer(x.double())
        if x.sum() > 0:
            y = self.group(y[None]) + self.instance(y[None])
        else:
            y = self.known(y[None] * 3)
        return y, F.batch_norm(y, None, None, training=True)


case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])(NormalizedDoubles)
