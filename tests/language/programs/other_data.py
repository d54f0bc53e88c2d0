"""Tensor objects that change for all who hold them: other data, another shape in place."""

import torch
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case, noise

BOTH = [(POSITIVE,), (NEGATIVE,)]
GROWING = [(POSITIVE,), (NEGATIVE,), (POSITIVE * 50,)]


@case(inputs=[(noise(2, 3),), (noise(2, 3) - 5,), (noise(2, 3) + 5,)])
def tokens_are_masked(x):
    """What has halted is taken out of the data, layer by layer, while something goes on."""
    y, output, mask = x * 2, None, torch.ones(2, 3) > 0
    for _ in range(3):
        y.data = y.data * mask.float()
        y = torch.tanh(y) + 0.5
        output = y * mask if output is None else output + y * mask
        mask = mask & (y > 0.8)
        if not mask.any():
            break
    return output


@case(inputs=BOTH)
def other_names_see_it(x):
    """All names of the object, and the list that holds it, have the new data."""
    y = x + 1
    other, held = y, [y]
    y.data = x[:, :2] * 3
    if x.sum() > 0:
        y.add_(1)
    return other, held[0], y.shape[1]


@case(inputs=BOTH)
def views_keep_the_old_memory(x):
    """What lay over the old memory stays there, and sees no write any more."""
    y = x + 1
    row = y[0]
    y.data = x * 3
    if x.sum() > 0:
        row.add_(5)
    y.mul_(2)
    return y, row


@case(inputs=BOTH)
def memory_is_shared(x):
    """The tensor and what it was given are two objects over one memory."""
    y, z = x + 1, x * 3
    y.data = z
    y.add_(1)
    if x.sum() > 0:
        z[0] = 7
    return y, z


@case(inputs=BOTH)
def on_one_path(x):
    """One path gives other data, the other one does not."""
    y = x + 1
    other, row = y, y[0]
    if x.sum() > 0:
        y.data = x * 3
    return other + row, y


@case(inputs=BOTH)
def of_an_argument(x):
    """The data of an argument"""
    y = x * 2
    y.data = x
    return y if x.sum() > 0 else x


@case(inputs=GROWING)
def in_a_loop(x):
    """A loop of run time gives other data in each pass."""
    y = x + 1
    other, passes = y, 0
    while y.sum() < 20 and passes < 5:
        y.data = y * 2
        passes += 1
    return other - 1, y, passes


@case(inputs=BOTH, refused="DYCL043")
def by_choice(x):
    """Which object gets other data is decided at run time."""
    y, z = x + 1, x * 2
    one = y if x.sum() > 0 else z
    one.data = x * 7  # <- refused
    return y, z, one


@case(inputs=BOTH, refused="DYCL043")
def beside_an_alias(x):
    """Another object over the same elements stays as it is."""
    y = x + 1
    before = y.data
    y.data = x * 5  # <- refused
    return before if x.sum() > 0 else y


@case(inputs=BOTH, refused="DYCL043")
def of_the_caller(x):
    """The caller's own tensor would get other data."""
    x.data = x * 2  # <- refused
    return x + 1 if x.sum() > 0 else x


@case(inputs=BOTH)
def shape_after_a_branch(x):
    """The object that gets another shape is one, whatever path made it."""
    y = x + 1
    other = y
    if x.sum() > 0:
        y = y * 2
        other = y
    y.unsqueeze_(0)
    return y, other.dim()


@case(inputs=BOTH, refused="DYCL042")
def shape_by_choice(x):
    """Which object gets another shape is decided at run time."""
    y, z = x + 1, x * 2
    one = y if x.sum() > 0 else z
    one.unsqueeze_(0)  # <- refused
    return y, z, one


@case(inputs=BOTH, refused="DYCL042")
def shape_of_one_row(x):
    """Which row gets another shape is decided at run time."""
    y = x * 2
    first, second = y[0:1], y[1:2]
    one = first if x.sum() > 0 else second
    one.t_()  # <- refused
    return first, second, one


@case(inputs=GROWING, refused="DYCL042")
def shape_in_a_container(x):
    """A list of the host holds the object that gets another shape."""
    kept = [x * 2]
    while x.sum() > len(kept) and len(kept) < 3:
        kept.append(x * len(kept))
    for tensor in kept:
        tensor.unsqueeze_(0)  # <- refused
    return kept


class _Halting(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        x.data = x * 2
        return self.layer(x)


class _Stacking(_Halting):
    def forward(self, x):
        x.unsqueeze_(0)
        return self.layer(x)


class _Doubling(_Halting):
    def forward(self, x):
        y = self.layer(x)
        torch.cat([y, y], out=x)
        return self.layer(x)


@case(inputs=GROWING)
class ChangedByAPart(nn.Module):
    """Parts of the model change the tensor object that they are called with."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.parts = nn.ModuleList((_Halting(), _Doubling(), _Stacking()))

    def forward(self, x):
        y = x + 1
        for part in self.parts:
            z = part(y)
            if y.sum() > 100:
                break
        return y, z
