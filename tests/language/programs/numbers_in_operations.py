"""Numbers known only at run time where an operation takes a number: alpha, bounds, slopes."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case, noise

UNUSUAL = torch.tensor([[0.5, float("nan"), 1.5], [-float("inf"), 2.5, float("inf")]])
BOTH = [(POSITIVE,), (NEGATIVE,), (MIXED,), (UNUSUAL,)]


def _number(x):
    return x[0, 0].item() * 1.5


@case(inputs=BOTH, rounds=True)
def alpha(x):
    """A factor of the second operand."""
    v = _number(x)
    y = torch.add(x, x.flip(0), alpha=v) if v > 0 else x.sub(x.flip(1), alpha=v)
    return y, torch.addcmul(x, x, y, value=v), x.addcdiv(y, x.abs() + 1, value=v)


@case(inputs=BOTH, rounds=True)
def alpha_in_place(x):
    """A factor in an operation in place."""
    v = _number(x)
    y = x.clone()
    y.add_(x.flip(0), alpha=v)
    if v > 0:
        y.mul_(v).sub_(x, alpha=v)
    return y


@case(inputs=BOTH)
def bounds(x):
    """Bounds by keyword, one of two, beside one that is known, or crossed."""
    v = _number(x)
    kept = x.clone()
    kept.clamp_(max=v)
    some = (x.clamp(min=v), torch.clamp(x, 0.0, v), x.clamp(v, -v), torch.clip(x, max=v), kept)
    return some if v > 0 else (torch.clamp_min(x, v), x.clamp_max(v), F.hardtanh(x, v, 1.0))


@case(inputs=BOTH)
def crossed(x):
    """What raises for bounds that cross."""
    return F.hardtanh(x, _number(x), 0.5)


@case(inputs=BOTH, slow=True)
def integer_bounds(x):
    """A bound that is an integer, beside one that is known."""
    n = int(x[0, 0].item() * 4)
    y = x.nan_to_num(0.0, 9.0, -9.0).long()
    return x.clamp(0, n), y.clamp(-1, n), y.clamp(max=n) if n > 0 else y


@case(inputs=BOTH)
def chosen(x):
    """A number between which, or in whose place, elements are chosen."""
    v = _number(x)
    first = torch.where(x > 0, v, x)
    second = torch.where(x > 0, 0.5, v) if v > 0 else x.where(x > 0, v)
    return first, second, torch.where(x.double() > 0, x.double(), v)


@case(inputs=BOTH)
def filled(x):
    """Tensors filled with a number, of several types."""
    v = _number(x)
    some = (torch.full((2,), v), torch.full_like(x, v), x.double().new_full((3, 1), v))
    return some if v > 0 else (torch.full((), v, dtype=torch.float64), F.pad(x, (1, 0), value=v))


@case(inputs=BOTH, rounds=True)
def activations(x):
    """Activations with a slope, a scale or a threshold."""
    v = abs(_number(x))
    y = F.leaky_relu(x, v)
    if x[0, 1] > 0:
        y = F.threshold(y, 0.1, v)
    return y, F.elu(x, v), F.celu(x, v), F.softplus(x, v), F.hardshrink(x, v)


class _Slope(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.LeakyReLU(0.1)


@case(inputs=BOTH, rounds=True)
class SettingOfALayer(_Slope):
    """A layer's slope is computed in the call."""

    def forward(self, x):
        self.layer.negative_slope = _number(x)
        return self.layer(x) if x[0, 1] > 0 else -self.layer(x)


@case(inputs=BOTH, rounds=True)
def operators_by_name(x):
    """Functions of the operators."""
    v = _number(x)
    y = torch.mul(x, v)
    y = torch.sub(y, v) if v > 0 else torch.div(y, v)
    return y, torch.gt(x, v), torch.fmod(x, v), torch.pow(x.abs(), v), torch.lerp(x, y, v)


@case(inputs=BOTH, rounds=True)
def places(x):
    """A number that is put, or added with a factor, at indices."""
    v = _number(x)
    where = torch.tensor([[1, 0, 1]])
    y = x.scatter(0, where, v).index_fill(1, torch.tensor([2]), v)
    return y if v > 0 else y.index_add(0, torch.tensor([1]), x[:1], alpha=v)


@case(inputs=BOTH, rounds=True)
def products(x):
    """A factor of a product of matrices, and of attention."""
    v = _number(x)
    y = x.nan_to_num(0.0, 1.0, -1.0)
    z = torch.addmm(y, y, y[:, :2].new_ones(3, 3), alpha=v)
    return F.scaled_dot_product_attention(y, z, z, scale=v) if v > 0 else z


@case(inputs=BOTH, refused="DYCL030")
def factor_of_integers(x):
    """PyTorch raises for a fraction of integers."""
    n = x.nan_to_num(0.0, 9.0, -9.0).long()
    return torch.add(n, n, alpha=_number(x))  # <- refused


@case(inputs=[(POSITIVE,), (NEGATIVE,)], messages=False)
def one_bound_is_a_row(x):
    """A bound for each column beside one that is a number: PyTorch takes no such pair."""
    return x.clamp(x[0], 1.0 + _number(x)) if x.sum() > 0 else x.clamp(x.min(), _number(x))


UNPADDED = torch.tensor([[0.0, 1.0, 2.0], [3.0, 5.0, 4.0]])


@case(inputs=[(POSITIVE,), (NEGATIVE,), (UNPADDED,)], messages=False)
def padded_otherwise(x):
    """A number beside padding that takes none but 0."""
    if x.sum() > 0:
        return F.pad(x, (1, 1), mode="reflect", value=_number(x))
    return F.pad(x, (1, 1), "constant", _number(x))


CORNERS = [torch.tensor(numbers) for numbers in ([2, 6, 1, 5], [0, 4, 3, 8], [5, 7, 2, 6])]


@case(
    inputs=[(noise(1, 8, 8).abs(), corners) for corners in CORNERS] + [(-noise(1, 8, 8).abs(), CORNERS[0])],
    messages=False,
    rounds=True,
    slow=True,
)
def windows_of_unknown_size(x, corners):
    """That an operation raises at all sizes tried does not say that it raises at every size."""
    patch = x[:, corners[0] : corners[1], corners[2] : corners[3]]
    if x.sum() > 0:
        return F.avg_pool2d(patch, patch.shape[-1] // 2)
    return patch.sum()


@case(inputs=[(torch.arange(1, 64), n) for n in (41, 55, 0, -3)])
def number_over_counts(counts, n: int):
    """A number over a tensor is a product with its reciprocal in PyTorch: 41 over 41 is below 1."""
    share = n / counts
    return share, torch.floor(share), (n * 0.1) / counts, n / counts.double(), (share == 1).any()


EDGES = torch.tensor([4.0, -0.0, 0.0, -float("inf"), float("inf"), -2.5])


@case(inputs=[(EDGES, n) for n in (2.0, 0.5, -0.5, 3.0, -1.0)])
def roots_as_powers(x, n: float):
    """A power of 0.5 is a root in PyTorch: NaN for minus infinity, and -0 for -0."""
    changed = x.clone()
    changed **= n
    return x**n, x.pow(n), torch.pow(x.double(), n), changed, x.clone().pow_(n)


FITTING = [(200, 16777217.0), (300, 2.5), (-1, float("nan")), (7, float("inf")), (2**31, -2.5)]


@case(inputs=[(POSITIVE, *each) for each in FITTING], messages=False)
def elements_that_may_not_fit(x, n: int, f: float):
    """Numbers that fill tensors of integers are cut to integers, and raise where they do not fit."""
    whole = x.long().fill_(f)
    if n > 250:
        return whole, torch.full((2,), n, dtype=torch.int32), x.int().masked_fill(x > 1, n)
    return whole, torch.full((2,), n, dtype=torch.uint8), torch.full_like(x.int(), n)


@case(inputs=[(POSITIVE, n) for n in (200, 300, 7)], messages=False)
def chosen_that_may_not_fit(x, n: int):
    """torch.where of small integers and a number, which raises where it does not fit."""
    return torch.where(x > 1, x.to(torch.uint8), n), x.int().where(x > 1, n)


QUANTILES = [(x, q) for x in (MIXED, UNUSUAL) for q in (0.3, 0.5, 1.0, -0.5, float("nan"))]


@case(inputs=QUANTILES, messages=False)
def quantiles(x, q: float):
    """Elements of an order, by the part that lies before them, which is one of the whole"""
    each = [
        x.quantile(q, 1, interpolation=way)
        for way in ("linear", "lower", "higher", "midpoint", "nearest")
    ]
    return each, torch.quantile(x, q), torch.quantile(x, q, keepdim=True), x[x > x.quantile(q)]


@case(inputs=QUANTILES, messages=False)
def near_each_other(x, n: float):
    """What is near enough; tolerances are not negative"""
    y = x * 1.4
    close = torch.isclose(x, y, atol=n), x.isclose(y, n), torch.isclose(x, x, n, equal_nan=True)
    return close, torch.allclose(x, y, rtol=n), x.allclose(x, n, n)


@case(inputs=[(x, n) for x in (MIXED, UNUSUAL) for n in (0.5, -2.0, 0.0)], rounds=True)
def put_for_what_is_no_number(x, n: float):
    """In the place of NaN and of infinities, and as a factor of what is added to products"""
    product = torch.addmm(x, torch.ones(2, 2), torch.ones(2, 3), beta=n)
    return x.nan_to_num(n), torch.nan_to_num(x, posinf=n), x.nan_to_num(0.0, n, n), product


BEYOND = [(MIXED, 1.0), (MIXED, 2e19), (MIXED, -1e25), (MIXED, 3e18), (MIXED, math.inf)]


@case(inputs=BEYOND, messages=False)
def filled_beyond_the_elements(x, n: float):
    """A tensor is filled with no number beyond its elements: PyTorch raises, but takes infinity"""
    return torch.full((2,), n * abs(n))


@case(inputs=BEYOND, messages=False)
def new_beyond_the_elements(x, n: float):
    """A tensor like another is filled with no number beyond its elements"""
    return torch.full_like(x, n * abs(n)), x.new_full((2,), n)


@case(inputs=BEYOND, messages=False)
def put_in_beyond_the_elements(x, n: float):
    """A tensor is filled in place with no number beyond its elements"""
    return x.clone().fill_(n * abs(n))


@case(inputs=BEYOND, messages=False)
def masked_beyond_the_elements(x, n: float):
    """Behind a mask stands no number beyond the elements"""
    return x.masked_fill(x > 0, n * abs(n))


@case(inputs=BEYOND, messages=False)
def written_beyond_the_elements(x, n: float):
    """At an index is written no number beyond the elements"""
    y = x.clone()
    y[0, 1] = n * abs(n)
    return y


@case(inputs=BEYOND, messages=False)
def chosen_beyond_the_elements(x, n: float):
    """A choice is no number beyond the elements"""
    return torch.where(x > 0, x, n * abs(n))


@case(inputs=BEYOND, messages=False)
def bounds_beyond_the_elements(x, n: float):
    """A bound is no number beyond the elements"""
    return x.clamp(max=n * abs(n))


@case(inputs=BEYOND, messages=False)
def padded_beyond_the_elements(x, n: float):
    """Padding is no number beyond the elements"""
    return F.pad(x, (1, 1), value=n * abs(n))


@case(inputs=BEYOND, messages=False)
def scattered_beyond_the_elements(x, n: float):
    """At places is scattered no number beyond the elements"""
    return x.scatter(1, torch.tensor([[0], [2]]), n * abs(n)), x.index_fill(0, torch.tensor([1]), n)


@case(inputs=BEYOND, messages=False)
def factors_beyond_the_elements(x, n: float):
    """A factor of what is added is no number beyond the elements"""
    return torch.add(x, x, alpha=n * abs(n))


@case(inputs=BEYOND, messages=False)
def factors_of_products_beyond_the_elements(x, n: float):
    """A factor of products that are added is no number beyond the elements"""
    return torch.addcmul(x, x, x, value=n * abs(n)), torch.addmm(x, x[:, :2], x, alpha=n)


@case(inputs=BEYOND, messages=False)
def slopes_beyond_the_elements(x, n: float):
    """A slope, a threshold or a bound of an activation is no number beyond the elements"""
    if n > 1e19:
        return F.leaky_relu(x, n * n)
    return F.threshold(x, 0.5, n * abs(n)), F.hardshrink(x, n * abs(n))


@case(inputs=[(MIXED, n) for n in (1.0, 200.0, 300.0, -math.inf)], messages=False)
def halves_beyond_the_elements(x, n: float):
    """Half precision ends at 65504"""
    y = x.half()
    return y.masked_fill(y > 0, n * n), torch.full_like(y, n)


@case(inputs=BEYOND)
def numbers_that_become_infinite(x, n: float):
    """Where PyTorch computes with such a number, it is infinite, as in tensors made of numbers"""
    large = n * abs(n)
    return x * large, x > large, torch.tensor([large, 1.0]), x.nan_to_num(large), x**large


class SameBoundsTwice(nn.Module):
    """Two bounds of one tensor in one straight line, the same and others."""

    def __init__(self):
        super().__init__()
        self.register_buffer("decay", torch.tensor(0.9))
        self.register_buffer("steps", torch.tensor([3, -2, 7], dtype=torch.int32))

    def forward(self, x):
        state = torch.zeros_like(x[0])
        for row in x:
            state = self.decay.clamp(0, 1) * state + row
        if state.sum() > 0:
            state = state * self.decay.clamp(0, 0.5)
        at_most = self.steps.clamp(0, 5) + self.steps.clamp(0, 5) * self.steps.clamp(-1, 2)
        return state * self.decay.clamp(0, 1), at_most, state.sum().clamp(0, 1) + state.sum().clamp(0, 9)


case(inputs=[(POSITIVE,), (NEGATIVE,)])(SameBoundsTwice)


@case(inputs=[(0.5, -3.25), (1.5, 2.0)], refused="DYCL030")
def of_numbers_alone(v, w):
    """PyTorch makes a tensor of two numbers that it adds."""
    return torch.add(v, w)  # <- refused


@case(inputs=[(POSITIVE, 0.5), (NEGATIVE, -2.5)], refused="DYCL030")
def of_numbers_alone_by_name(x, v):
    """One of the numbers comes from a tensor, the other one is given by name."""
    made = torch.sub(x[0, 0].item(), other=v)  # <- refused
    return x + made


@case(inputs=[(3, 2), (-7, 2)])
def of_integers_alone(v, w):
    """Of integers it makes a tensor of an integer."""
    made = torch.add(v, w)
    return made, made.dtype, torch.sub(v, w) if made > 0 else made.dim()
