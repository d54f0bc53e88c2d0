"""Gradients that a call computes: what PyTorch's engine does becomes operations of the program."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from tests.language.harness import NEGATIVE, POSITIVE, case

BOTH = [(POSITIVE,), (NEGATIVE,)]
SEVERAL = [(POSITIVE,), (NEGATIVE,), (POSITIVE * 0.1,)]


class _Energy(nn.Module):
    def __init__(self):
        super().__init__()
        self.energy = nn.Sequential(
            nn.Linear(3, 8), nn.SiLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1)
        )


@case(inputs=BOTH, rounds=True)
def of_a_power(x):
    """The gradient of a sum of cubes, beside that sum"""
    with torch.enable_grad():
        y = x.detach().requires_grad_(True)
        total = (y * y * y).sum()
        (slope,) = torch.autograd.grad(total, [y])
    return slope, total


@case(inputs=SEVERAL, rounds=True)
class Langevin(_Energy):
    """Steps down an energy, a known number of them"""

    def forward(self, x):
        for _ in range(3):
            with torch.enable_grad():
                x = x.detach().requires_grad_(True)
                slope = torch.autograd.grad(self.energy(x).sum(), x)[0]
            x = x - 0.1 * slope
        return x


@case(inputs=SEVERAL, rounds=True)
class UntilFlat(_Energy):
    """Steps down an energy until it is flat, in a method under enable_grad"""

    @torch.enable_grad()
    def step(self, x):
        x = x.detach().clone().requires_grad_(True)
        (slope,) = torch.autograd.grad(self.energy(x).sum(), [x])
        return (x - 0.1 * slope).detach(), slope

    def forward(self, x):
        steps = 0
        while steps < 20:
            x, slope = self.step(x)
            steps += 1
            if slope.norm() < 0.05 * x.norm():
                break
        return x, steps


@case(inputs=[(POSITIVE,)], rounds=True)
class Layers(nn.Module):
    """The gradient of a class's score with regard to an image, through layers of all kinds"""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Upsample(scale_factor=4),
            nn.Conv2d(1, 4, 3, padding=1, stride=2),
            nn.BatchNorm2d(4),
            nn.ReLU(),
            nn.ConvTranspose2d(4, 4, 2, stride=2),
            nn.GroupNorm(2, 4),
            nn.AvgPool2d(3, 1, padding=1),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(96, 8),
            nn.LayerNorm(8),
            nn.GELU(),
            nn.Linear(8, 5),
        )

    @torch.enable_grad()
    def forward(self, x):
        x = x.detach().requires_grad_()
        slope = torch.autograd.grad(self.layers(x[None, None]).log_softmax(-1)[:, 1].sum(), x)[0]
        return x - slope if slope.abs().max() > 0.05 else x + slope  # known


@case(inputs=[(POSITIVE,)], refused="DYCL045")
def between_pixels(x):
    """No backend takes what an interpolation hands back"""
    with torch.enable_grad():
        y = x.clone().requires_grad_()
        large = nn.functional.interpolate(y[None, None], scale_factor=2, mode="bilinear")
        return torch.autograd.grad(large.square().sum(), y)[0]  # <- refused


@case(inputs=BOTH, rounds=True)
def through_what_is_detached(x):
    """What is detached, or computed without gradients, is a constant"""
    with torch.enable_grad():
        y = x.clone().requires_grad_(True)
        factor = (y * 3).detach()
        with torch.no_grad():
            other = y * 5
        total = (y * factor).sum() + (y.data * y).sum() + (other * y).sum()
        return torch.autograd.grad(total, y)


@case(inputs=BOTH, rounds=True)
def straight_through(x):
    """Rounding, with the gradient of what is rounded"""
    with torch.enable_grad():
        y = x.clone().requires_grad_()
        rounded = y + (y.round() - y).detach()
        return torch.autograd.grad((rounded * rounded).sum(), y)[0]


@case(inputs=BOTH, rounds=True)
def beside_where_it_comes_from(x):
    """A leaf is another tensor than the one that it was detached from"""
    with torch.enable_grad():
        y = x.detach().requires_grad_()
        return torch.autograd.grad(((y - x) ** 2 + y * x).sum(), y)[0]


@case(inputs=BOTH, rounds=True)
def twice(x):
    """A gradient of a gradient, through operations that keep what they gave"""
    with torch.enable_grad():
        y = x.clone().requires_grad_()
        (slope,) = torch.autograd.grad(torch.tanh(y).sum(), y, create_graph=True)
        (second,) = torch.autograd.grad((slope * slope).sum() + y.softmax(-1)[:, 0].sum(), y)
        return second


@case(inputs=BOTH, rounds=True)
def two_leaves(x):
    """With regard to a leaf and what is computed of it"""
    with torch.enable_grad():
        y = x.clone().requires_grad_()
        double = (y * 2).requires_grad_()
        return torch.autograd.grad((double * double + y).sum(), [y, double])


@case(inputs=BOTH, rounds=True)
def in_between(x):
    """With regard to what is computed on the way"""
    with torch.enable_grad():
        y = x.clone().requires_grad_()
        square = y * y
        total = square.sin().sum()
        return torch.autograd.grad(total, square)[0], total


@case(inputs=BOTH, rounds=True)
def unused(x):
    """Of what the output does not depend on there is none"""
    with torch.enable_grad():
        y, other = x.clone().requires_grad_(True), x.clone().requires_grad_(True)
        one, none = torch.autograd.grad((y**2).sum(), [y, other], allow_unused=True)
        (zeros,) = torch.autograd.grad((y**2).sum(), other, materialize_grads=True)
        return one, zeros, none is None


@case(inputs=BOTH, rounds=True)
def by_position(x):
    """What older programs say of the inputs, and everything else, by position"""
    with torch.enable_grad():
        y, other = x.clone().requires_grad_(True), x.clone().requires_grad_(True)
        total = (y**3).sum()
        slope = torch.autograd.grad(total, y, create_graph=True, only_inputs=True)[0]
        one, none = torch.autograd.grad(slope.sum(), [y, other], None, None, False, True, True)
        zeros = torch.autograd.grad(one.sum() * 0 + (y * y).sum(), other, None, None, False, True,
                                    None, False, True)[0]  # fmt: skip
        return one, zeros, none is None


@case(inputs=BOTH, refused="DYCL045")
def not_only_of_inputs(x):
    """PyTorch warns of an argument that it ignores"""
    with torch.enable_grad():
        y = x.clone().requires_grad_(True)
        return torch.autograd.grad((y * y).sum(), y, only_inputs=False)[0]  # <- refused


@case(inputs=BOTH, refused="DYCL045")
def of_a_dict(x):
    """Gradients with regard to the values of a dict are a dict"""
    with torch.enable_grad():
        y = x.clone().requires_grad_(True)
        return torch.autograd.grad((y * y).sum(), {"y": y})["y"]  # <- refused


@case(inputs=BOTH, refused="DYCL045", messages=False)
def of_what_is_no_tensor(x):
    """Of names there are no gradients: PyTorch raises"""
    with torch.enable_grad():
        y = x.clone().requires_grad_(True)
        try:
            return torch.autograd.grad((y * y).sum(), ["y"])[0]  # <- refused
        except RuntimeError:
            return y.detach()


@case(inputs=BOTH)
def of_nothing(x):
    """Nothing to ask for is an error, which the program catches"""
    with torch.enable_grad():
        y = x.clone().requires_grad_(True)
        try:
            return torch.autograd.grad((y * y).sum(), [])
        except RuntimeError as error:
            return str(error), y.detach()


@case(inputs=BOTH, rounds=True)
def weighted(x):
    """The output is several numbers, which count as much as is said"""
    with torch.enable_grad():
        y = x.clone().requires_grad_(True)
        square = y * y
        ones = torch.ones_like(square)
        return torch.autograd.grad(square, y, grad_outputs=ones), torch.autograd.grad(y + 1, y, x)


@case(inputs=BOTH, rounds=True)
def kept(x):
    """A graph that is kept gives a second gradient"""
    with torch.enable_grad():
        y = x.clone().requires_grad_(True)
        total = (y * y).sum()
        slope = torch.autograd.grad(total, y, retain_graph=True)[0]
        return slope + torch.autograd.grad(total * 3, y)[0]


@case(inputs=BOTH, refused="DYCL045")
def given_up(x):
    """A graph that is not kept gives none: PyTorch raises"""
    with torch.enable_grad():
        y = x.clone().requires_grad_(True)
        total = (y * y).sum()
        slope = torch.autograd.grad(total, y)[0]
        return slope + torch.autograd.grad(total, y)[0]  # <- refused


@case(inputs=BOTH, rounds=True)
def through_decisions(x):
    """Paths on which another function was computed stay apart until the gradient is there"""
    with torch.enable_grad():
        y = x.clone().requires_grad_(True)
        if x.sum() > 0:
            z = y * 2
        else:
            z = y * y
        slope = torch.autograd.grad(z.sum(), y)[0]
    return slope + 1


@case(inputs=SEVERAL, rounds=True)
def through_a_function_that_decides(x):
    """A function under enable_grad whose result depends on a test, in a loop"""

    @torch.enable_grad()
    def energy(z):
        if z.sum() > 0:
            return (z * z).sum()
        return z.exp().sum()

    for _ in range(3):
        with torch.enable_grad():
            z = x.detach().requires_grad_(True)
            x = z - torch.autograd.grad(energy(z), z)[0] * 0.1
        x = x.detach()
    return x


@case(inputs=BOTH, rounds=True)
def written_in_place(x):
    """What is written in place on the way, through views, too"""
    with torch.enable_grad():
        y = x.clone().requires_grad_(True)
        first, z = y[0], y * 1
        z[1] = first * 3
        z.mul_(y)
        return torch.autograd.grad((z.t()[:, 1] ** 2).sum() + y.norm(), y)[0]


@case(inputs=BOTH, rounds=True)
def descent(x):
    """The leaf itself is written, without gradients"""
    with torch.enable_grad():
        y = x.clone().requires_grad_()
        for _ in range(4):
            (slope,) = torch.autograd.grad(((y - 1) ** 4).sum(), y)
            with torch.no_grad():
                y -= 0.01 * slope
    return y.detach()


@case(inputs=BOTH, refused="DYCL045")
def written_after(x):
    """The leaf is written between the output and its gradient: PyTorch raises"""
    with torch.enable_grad():
        y = x.clone().requires_grad_()
        total = (y * y).sum()
        with torch.no_grad():
            y.add_(1)
        return torch.autograd.grad(total, y)[0]  # <- refused


@case(inputs=BOTH, rounds=True)
def numbers_on_the_way(x):
    """A number taken from a tensor has no gradient"""
    with torch.enable_grad():
        y = x.clone().requires_grad_()
        total = (y * y.sum().item()).sum()
        row = int(x[0, 0].abs()) % 2
        return torch.autograd.grad(total + y[row].pow(2).sum(), y)[0]


@case(inputs=BOTH, rounds=True)
def choices(x):
    """Sorted, chosen, gathered and joined"""
    with torch.enable_grad():
        z = x.clone().requires_grad_(True)
        best, places = z.topk(2)
        ordered = z.sort(-1).values.cumsum(-1).amax(-1).sum()
        joined = torch.cat([best, z[:, :1]], 1).std() + z.gather(1, places).sum()
        return torch.autograd.grad(ordered + joined, z)[0]


@case(inputs=[(torch.tensor([[1, 2, 3], [4, 5, 9]]),)], rounds=True)
class Attention(nn.Module):
    """Through an encoder layer, with regard to what was embedded"""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10, 8)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)

    def forward(self, tokens):
        with torch.enable_grad():
            h = self.embedding(tokens).detach().requires_grad_()
            score = self.layer(h).softmax(-1).max(-1).values.sum()
            (slope,) = torch.autograd.grad(score, h)
        return h - slope


class _Rounding(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, slope):
        return slope


@case(inputs=BOTH, refused="DYCL045")
def of_ones_own(x):
    """A function that says itself what its gradient is"""
    with torch.enable_grad():
        y = x.clone().requires_grad_()
        rounded = _Rounding.apply(y)  # <- refused
        return torch.autograd.grad((rounded * y).sum(), y)[0]  # never


@case(inputs=BOTH, refused="DYCL045")
def outside_of_the_mode(x):
    """Without enable_grad: what is compiled runs without gradients, and PyTorch raises"""
    y = x.clone().requires_grad_()
    return torch.autograd.grad((y * y).sum(), y)[0]  # <- refused


@case(inputs=BOTH, refused="DYCL045")
def through_a_loop(x):
    """Through a loop that ends at run time"""
    with torch.enable_grad():
        y = x.clone().requires_grad_(True)
        z = y * 1
        while z.sum() < 30:
            z = z * 2 + 10
        return torch.autograd.grad(z.sum(), y)[0]  # <- refused


@case(inputs=BOTH, refused="DYCL045")
def mode_set_for_good(x):
    """The mode is set by a call, not by a context manager"""
    torch.set_grad_enabled(True)  # <- refused
    return x + 1


@torch.enable_grad()
def _with_gradients(x):
    return x + 1 if torch.is_grad_enabled() else x - 1  # known


@case(inputs=BOTH)
def asked_in_a_decorated_function(x):
    """Decorators say whether gradients are computed, where the function asks"""
    return _with_gradients(x), torch.is_grad_enabled()


@case(inputs=BOTH, rounds=True)
def asked_whether_it_asks(x):
    """What asks for gradients says so"""
    with torch.enable_grad():
        y = x.detach().requires_grad_()
        assert y.requires_grad  # known
        return torch.autograd.grad((y[y > 0]).sum() + y.clamp(0, 1).sum(), y)[0]


@case(inputs=BOTH, rounds=True)
class KeptFromCallToCall(_Energy):
    """What an earlier call has found counts in the next one"""

    def __init__(self):
        super().__init__()
        self.before = None

    def forward(self, x):
        with torch.enable_grad():
            y = x.detach().requires_grad_()
            energy = self.energy(y).sum()
            if self.before is not None:
                energy = energy + (self.before * y).sum()
            slope = torch.autograd.grad(energy, y)[0]
        self.before = slope
        return slope


@case(inputs=BOTH, refused="DYCL035")
def weights_written_by_the_result(x):
    """PyTorch may give the very tensor that says how much each output counts"""
    with torch.enable_grad():
        y, ones = x.detach().requires_grad_(), torch.ones_like(x)
        (slope,) = torch.autograd.grad(y + 0, y, ones)
    slope.mul_(3)  # <- refused
    return slope, ones


@case(inputs=BOTH, refused="DYCL045")
class OfAWeight(nn.Module):
    """With regard to a weight of the model"""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        with torch.enable_grad():
            score = self.layer(x).max()
            return torch.autograd.grad(score, self.layer.weight)[0]  # <- refused


@case(inputs=BOTH, rounds=True)
class ByItsData(_Energy):
    """A leaf that is written by its data, which is not recorded"""

    def forward(self, x):
        with torch.enable_grad():
            y = x.clone().requires_grad_()
            for _ in range(2):
                slope = torch.autograd.grad(self.energy(y).sum(), [y], retain_graph=True)[0]
                y.data += 0.1 * slope
            y.data[0] = 1.0
            (slope,) = torch.autograd.grad((y**2).sum() + (y.data * y).sum(), [y])
        return y.detach(), slope


@case(inputs=BOTH, refused="DYCL045")
def by_its_data_after_the_output(x):
    """PyTorch would not notice, and compute with what is there now"""
    with torch.enable_grad():
        y = x.clone().requires_grad_()
        energy = (y * y).sum()
        y.data += 1
        return torch.autograd.grad(energy, y)[0]  # <- refused


@case(inputs=BOTH, rounds=True)
def forces(x):
    """Forces between points, and on each of those that lie at one place"""
    with torch.enable_grad():
        y = x.detach().requires_grad_()
        energy = (torch.cdist(y, x * 2) ** 2).sum() + torch.cdist(y, y).sum()
        length = (y[0] - y[1]).norm()
        slope = torch.autograd.grad(energy + length.exp(), y)[0]
    return -slope


@case(inputs=BOTH, refused="DYCL045")
def of_other_distances(x):
    """Distances that are sums of absolute values"""
    with torch.enable_grad():
        y = x.detach().requires_grad_()
        return torch.autograd.grad(torch.cdist(y, x * 2, p=1.0).sum(), y)[0]  # <- refused


@case(inputs=BOTH, refused="DYCL045")
def detached_in_place(x):
    """A tensor on the way is detached in place"""
    with torch.enable_grad():
        y = x.detach().requires_grad_()
        factor = (y * 2).detach_()  # <- refused
        return torch.autograd.grad((factor * y).sum(), y)[0]  # never


@case(inputs=BOTH, refused="DYCL049")
class Hooked(nn.Module):
    """A layer whose gradients a hook changes"""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.layer.register_full_backward_hook(lambda layer, back, given: (back[0] * 2,))

    def forward(self, x):
        with torch.enable_grad():
            y = x.detach().requires_grad_()
            score = self.layer(y).sum()  # <- refused
            return torch.autograd.grad(score, y)[0]  # never


@case(
    inputs=[(torch.ones(1, 2, 8), torch.tensor([[False, True]]))],
    refused="DYCL045",
)
class Masked(nn.Module):
    """An encoder layer with a mask, which PyTorch computes in another way under enable_grad"""

    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)

    def forward(self, x, mask):
        with torch.enable_grad():
            y = x.detach().requires_grad_()
            seen = self.layer(y, src_key_padding_mask=mask)  # <- refused
            return torch.autograd.grad(seen.sum(), y)[0]  # never


def _bowl(x):
    return (x.pow(2) * torch.arange(1.0, 5.0)).sum()


def _asking(x):
    return x.detach().requires_grad_()


STARTS = [(torch.tensor([1.0, -2, 0.5, 3]),), (torch.tensor([0.1, 0, 0, 0.1]),), (torch.ones(4),)]


@case(inputs=STARTS, rounds=True)
@torch.enable_grad()
def descent_by_turns(x):
    """What asks for gradients in one turn of a loop is asked about in the next"""
    x, turns = _asking(x), 0
    while True:
        (slope,) = torch.autograd.grad(_bowl(x), [x])
        x = _asking(x - 0.05 * slope)
        turns += 1
        if slope.norm() < 1:
            break
    return x.detach(), turns


@case(inputs=STARTS, rounds=True)
@torch.enable_grad()
def descent_of_two(x):
    """Two of them, which change places in each turn"""
    one, two = _asking(x), _asking(x * 2)
    while _bowl(one.detach()) > 1:
        slopes = torch.autograd.grad(_bowl(one) + 2 * _bowl(two), [one, two])
        one, two = _asking(two - 0.05 * slopes[1]), _asking(one - 0.1 * slopes[0])
    return one.detach(), two.detach()


@case(inputs=STARTS, refused="DYCL045")
@torch.enable_grad()
def turns_before(x):
    """What was computed from it in the turn before counts, too"""
    x = _asking(x)
    weight = x.sum()
    for _ in range(int(x.detach().abs().sum())):
        (slope,) = torch.autograd.grad(_bowl(x) * weight, [x])  # <- refused
        x = _asking(x - 0.01 * slope)
        weight = x.sum()
    return x.detach()


@case(inputs=STARTS, refused="DYCL045")
@torch.enable_grad()
def the_same_twice(x):
    """One tensor under two names, which differ in the first turn"""
    one, two = _asking(x), _asking(x * 2)
    for _ in range(int(x.detach().abs().sum())):
        (slope,) = torch.autograd.grad(_bowl(one) + _bowl(two), [one])  # <- refused
        one = two = _asking(one - 0.02 * slope)
    return two.detach()


@case(inputs=BOTH, refused="DYCL045")
def what_it_went_through_is_written(x):
    """What lies between leaf and output is written since, unseen by PyTorch, under another name"""

    def doubled(y):
        z = y * 2
        return (z * z).sum(), z.data

    with torch.enable_grad():
        y = x.detach().requires_grad_()
        total, data = doubled(y)
        data.add_(1)
        return torch.autograd.grad(total, y)[0]  # <- refused


@case(inputs=BOTH, refused="DYCL045")
def what_it_went_through_is_written_as_an_array(x):
    """An array has the memory of what lies between leaf and output"""
    with torch.enable_grad():
        y = x.detach().requires_grad_()
        z = y * 2
        total = (z * z).sum()
        z.detach().numpy()[0] = 5
        return torch.autograd.grad(total, y)[0]  # <- refused


@case(inputs=BOTH, rounds=True)
def written_before(x):
    """What is written before a gradient goes through it is that, from there on"""
    w = torch.ones(x.shape)
    w.data.mul_(3)
    with torch.enable_grad():
        y = x.detach().requires_grad_()
        return torch.autograd.grad((w * y * y).sum(), y)[0]


@case(inputs=[(torch.tensor([0.5, math.nan, 2.0, -3.0]),)], rounds=True)
def of_what_is_no_number(x):
    """Where there is NaN, so it is in the gradient"""
    with torch.enable_grad():
        y = x.detach().requires_grad_()
        total = F.smooth_l1_loss(y, y.detach() * 2) + torch.logit(y, eps=0.1).sum()
        return torch.autograd.grad(total, y)[0]


@case(inputs=BOTH, refused="DYCL045")
def of_a_product_of_elements(x):
    """PyTorch goes by how many of the elements are zero, also beside NaN"""
    with torch.enable_grad():
        y = x.detach().requires_grad_()
        return torch.autograd.grad(y.prod(), y)[0]  # <- refused


@case(inputs=BOTH, refused="DYCL045")
def beside_inference_mode(x):
    """PyTorch raises for what goes through a tensor of inference_mode"""
    with torch.inference_mode():  # <- refused
        weight = x * 2
    with torch.enable_grad():
        y = x.detach().requires_grad_()
        return torch.autograd.grad((y * weight).sum(), y)[0]


@case(inputs=BOTH, refused="DYCL045")
def set_from_here_on(x):
    """What is made sets the mode, whether or not it is a context manager later"""
    mode = torch.set_grad_enabled(True)  # <- refused
    return x + 1 if torch.is_grad_enabled() else mode  # known


@torch.inference_mode()
def _made_for_inference(x):
    return x * 2


@case(inputs=BOTH, refused="DYCL045")
def beside_a_function_for_inference(x):
    """So it does for what a decorated function gives"""
    with torch.enable_grad():
        y = x.detach().requires_grad_()
        weight = _made_for_inference(x)  # <- refused
        return torch.autograd.grad((y * weight).sum(), y)[0]


@case(inputs=BOTH, refused="DYCL045")
@torch.inference_mode()
def within_inference_mode(x):  # <- refused
    """A call under inference_mode computes none, whatever is enabled in it"""
    with torch.enable_grad():
        y = x.detach().requires_grad_()
        return torch.autograd.grad((y * y).sum(), y)[0]


@case(inputs=BOTH, refused="DYCL045")
@torch.enable_grad()
def written_where_it_asks(x):
    """PyTorch raises for a write that it would record, into a tensor that asks"""
    y = x.detach().requires_grad_()
    if x.sum() > 0:
        y.mul_(2)  # <- refused
    return torch.autograd.grad((y**2).sum(), y)[0]


@case(inputs=BOTH, refused="DYCL045")
@torch.enable_grad()
def written_by_elements(x):
    """The same by an index, also where no gradient is computed afterwards"""
    y = x.detach().requires_grad_()
    (slope,) = torch.autograd.grad((y**2).sum(), y)
    y[0] = 3  # <- refused
    return slope, y.detach()  # never


@case(inputs=BOTH, refused="DYCL045")
@torch.enable_grad()
def written_by_a_view(x):
    """The same through a view of it"""
    y = x.detach().requires_grad_()
    (slope,) = torch.autograd.grad((y**2).sum(), y)
    first = y[:1]
    first -= 1  # <- refused
    return slope, y.detach()  # never


@case(inputs=BOTH, rounds=True)
@torch.enable_grad()
def written_beside_what_asks(x):
    """Taken: what lies over its memory and was there before, what is detached, what is computed"""
    before = x * 2
    y = before.detach().requires_grad_()
    (slope,) = torch.autograd.grad((y**2).sum(), y)
    double = y * 2
    double[0] = 0
    (other,) = torch.autograd.grad((double * y).sum(), y)
    before += 1
    detached = y.detach()
    detached -= slope
    y.data.sub_(other)
    return slope, other, before, y.detach()


@case(inputs=BOTH, refused="DYCL045")
class WeightWritten(nn.Module):
    """A weight asks for gradients before the call, whether one is computed in it or not."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))

    @torch.enable_grad()
    def forward(self, x):
        self.weight.add_(1)  # <- refused
        return (x * self.weight).detach()  # never


@case(inputs=BOTH, rounds=True)
class WeightWrittenByItsData(nn.Module):
    """Taken: by its data, or where nothing is recorded"""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))

    @torch.enable_grad()
    def forward(self, x):
        self.weight.data.add_(1)
        with torch.no_grad():
            self.weight.mul_(2)
        return (x * self.weight).detach()


@case(inputs=BOTH, refused="DYCL064")
@torch.enable_grad()
def under_autocast(x):
    """Gradients would be converted, too."""
    y = x.detach().requires_grad_()
    with torch.autocast("cpu", dtype=torch.bfloat16):  # <- refused
        total = (y @ y.t()).sum()
    return torch.autograd.grad(total.float(), y)[0]


@case(inputs=BOTH, refused="DYCL045")
@torch.enable_grad()
def through_a_table_of_the_host(x):
    """What a dict with keys of run time holds is not known by its statements."""
    y = x.detach().requires_grad_()
    table = {}
    table[int(x[0, 0])] = y * 2
    total = table[int(x[0, 0])].sum() + y.sum()
    return torch.autograd.grad(total, y)[0]  # <- refused


@case(inputs=BOTH, rounds=True)
@torch.enable_grad()
def written_unrecorded(x):
    """A write under `no_grad` changes what is there, and nothing of the gradient"""
    y = x.detach().requires_grad_()
    z = y * 2
    with torch.no_grad():
        z.mul_(3)
    return torch.autograd.grad((z * 1.5).sum(), y)[0], z.detach()
