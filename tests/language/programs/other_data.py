"""Tensor objects that change for all who hold them: other data, another shape in place."""

import copy

import torch
import torch.nn.functional as F
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


@case(inputs=BOTH)
def beside_an_alias(x):
    """Another object over the same elements stays as it is."""
    y = x + 1
    before = y.data
    y.data = x * 5
    before.add_(1)
    return before if x.sum() > 0 else y


@case(inputs=BOTH, refused="DYCL043")
def object_or_alias(x):
    """Paths met where this is the tensor, or another object over the same elements."""
    y = x + 1
    one = y if x.sum() > 0 else y.data
    one.data = x * 5  # <- refused
    return one.sum(), y.sum()


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


CALLS = [(noise(2, 3),), (noise(2, 3) - 5,), (noise(2, 3) + 5,), (noise(2, 3),)]


class _Pair(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.a = nn.Parameter(torch.ones(3))
        self.b = nn.Parameter(torch.zeros(3))


@case(inputs=CALLS)
class NormalizedWeights(nn.Module):
    """Each call normalizes the rows of a layer's weight, which later calls go on with."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layer = nn.Linear(3, 4, bias=False)

    def forward(self, x):
        self.layer.weight.data = F.normalize(self.layer.weight.data + x[:1] / 9, dim=1)
        similar = self.layer(x)
        return similar.argmax(1) if x.sum() > 0 else similar.sum(1)


@case(inputs=CALLS)
class Teacher(nn.Module):
    """The teacher's parameters follow the student's where these agree with it."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.student = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
        self.teacher = copy.deepcopy(self.student)

    def forward(self, x):
        one, other = self.student(x), self.teacher(x)
        if x.sum() > 0:
            pairs = zip(self.student.parameters(), self.teacher.named_parameters())
            for given, (name, held) in pairs:
                held.data = held.data * 0.9 + given.data * (0.1 if "bias" in name else 0.2)
        return one, other


@case(inputs=CALLS)
class ParametersInAList(_Pair):
    """What walks over parameters gives those that calls have written as they are now."""

    def forward(self, x):
        if x.sum() > 0:
            self.a.data.add_(1)
        named = dict(self.named_parameters())
        return torch.stack(list(self.parameters())), named["a"] * 2, next(self.parameters()).norm()


@case(inputs=CALLS, refused="DYCL067")
class StateOfTheModel(_Pair):
    """A table of what is in the tensors"""

    def forward(self, x):
        if x.sum() > 0:
            self.a.data.add_(1)
        return self.state_dict()["a"] + x[0]  # <- refused


@case(inputs=CALLS)
class SpectralNorm(nn.Module):
    """Two buffers get other data in each round of power iteration, by local names."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.weight = nn.Parameter(torch.randn(4, 3))
        self.register_buffer("u", F.normalize(torch.randn(4), dim=0))
        self.register_buffer("v", F.normalize(torch.randn(3), dim=0))

    def forward(self, x):
        u, v = self.u, self.v
        for _ in range(2):
            v.data = F.normalize(torch.mv(self.weight.t().data, u.data), dim=0)
            u.data = F.normalize(torch.mv(self.weight.data, v.data), dim=0)
        sigma = torch.dot(self.u, self.weight.mv(self.v))
        y = x @ (self.weight / sigma).t()
        return y if y.sum() > 0 else -y


@case(inputs=CALLS)
class UntilItStands(_Pair):
    """A loop compares the data with what it was in the round before."""

    def forward(self, x):
        rounds = 0
        while rounds < 3:
            before = self.a.data
            self.a.data = self.a.data * 0.5 + x.abs().mean()
            rounds += 1
            if (self.a.data - before).norm() < 0.8:
                break
        return self.a.sum(), rounds


@case(inputs=CALLS, at_end=True)
class DataIsAResult(_Pair):
    """The caller has the memory, not the tensor object: later calls leave that as it is."""

    def forward(self, x):
        hidden = x[0] * 2 + self.a
        self.a.data = hidden
        return hidden if x.sum() > 0 else [self.a.data]


@case(inputs=CALLS, refused="DYCL043")
class ObjectIsAResult(_Pair):
    """The caller of an earlier call has the object itself, which would get other data."""

    def forward(self, x):
        self.a.data = self.a.data * 0.5 + x[0]  # <- refused
        return self.a


@case(inputs=CALLS, refused="DYCL043")
class ObjectInAList(_Pair):
    """A list that grows from call to call has the object."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def forward(self, x):
        self.a.data = self.a.data + x[0]  # <- refused
        self.seen.append(self.a)
        return sum(each.sum() for each in self.seen) if x.sum() > 0 else len(self.seen)


@case(inputs=CALLS)
class MemoryOfAnother(_Pair):
    """A tensor of the model lies over the memory of another one from a call on."""

    def forward(self, x):
        if x.sum() > 0:
            self.a.data = self.b.data
        return self.a + x[0]


@case(inputs=CALLS, refused="DYCL034")
class MemoryOfAnotherIsWritten(_Pair):
    """Later calls would write into both."""

    def forward(self, x):
        if x.sum() > 0:
            self.a.data = self.b.data
        self.a.add_(1)  # <- refused
        return self.a + x[0]


@case(inputs=CALLS, refused="DYCL043")
class DataOfAView(_Pair):
    """A view of the whole parameter is another object."""

    def forward(self, x):
        whole = self.a.reshape(3)
        whole.data = x[0] * 2  # <- refused
        return whole.sum(), self.a.sum() if x.sum() > 0 else 1


@case(inputs=CALLS, refused="DYCL043")
class IntegersAsData(_Pair):
    """PyTorch raises for tensors that require gradients."""

    def forward(self, x):
        self.a.data = (self.a.data + x[0]).long()  # <- refused


@case(inputs=CALLS, refused="DYCL043")
class GoesRound(_Pair):
    """Variables of a loop trade the parameter and another object over the same elements."""

    def forward(self, x):
        one, other, rounds = self.a, self.b, 0
        while rounds < x.abs().sum():
            one.data = one.data * 0.5 + x[0]  # <- refused
            other, one = one.data, other
            rounds += 1
        return one.sum(), other.sum(), self.a.sum(), self.b.sum()


@case(inputs=CALLS)
class OldDataBesideABranch(_Pair):
    """Paths meet between: the parameter and what its data was are two objects on each."""

    def forward(self, x):
        before = self.a.data
        step = x[0] if x.sum() > 0 else x[1]
        self.a.data = before * 0.5 + step
        return before.sum(), (self.a.data - before).norm()


@case(inputs=CALLS, refused="DYCL043")
class TradedOnOnePath(_Pair):
    """On one path a variable is the parameter, on the other the object beside it."""

    def forward(self, x):
        if x.sum() > 0:
            one, other = self.a, self.a.data
        else:
            one, other = self.a.data, self.a
        one.data = x[0] * 3  # <- refused
        return one.sum(), other.sum(), self.a.sum()


@case(inputs=CALLS)
class TwoOverOneMemory(_Pair):
    """Two parameters lie over what the call has computed, and one of them is written in place."""

    def forward(self, x):
        hidden = x[0] * 2
        self.a.data = hidden
        self.b.data = hidden
        if x.sum() > 0:
            self.a.add_(1)
        return self.a.sum(), self.b.sum(), hidden.sum()
