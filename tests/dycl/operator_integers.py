"""Integers that are large, negative or narrow, in operators that are made for floats."""

from collections.abc import Callable

import torch
import torch.nn.functional as F

from tests.dycl.operator_operands import integers
from tests.dycl.operator_table import Cases, OperatorCase

_HALVES = torch.tensor([0, 1, 2**31 - 1, 2**31, 2**32 - 1])
"""Whatever the upper half of a number is, the lower half may look like a negative number."""

_LARGE = (_HALVES + torch.tensor([-(2**33), -(2**32), 0, 2**32])[:, None]).T.reshape(4, 5)
_OTHERS = _LARGE.reshape(-1).roll(7).reshape(4, 5)
_ONE, _OTHER = torch.cartesian_prod(_LARGE.reshape(-1), _LARGE.reshape(-1)).unbind(1)
_NARROW = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def _case(name: str, function: Callable[..., object], *inputs: torch.Tensor) -> OperatorCase:
    return OperatorCase(name=name, function=function, inputs=inputs)


def _bounded(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return x.clamp(min=0), x.clamp(max=0), x.clamp(-1, 2**31), F.hardtanh(x, -3, 3), F.relu(x)


def _reduced(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    of_all = (x.amax(), x.amin(), x.max(), x.min(), *torch.aminmax(x), x.amax((0, 1)))
    return (*of_all, x.amax(0), x.amin(1, keepdim=True), *x.max(0), *x.min(1), *x.cummax(0))


def _chosen(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
    places = torch.unique(x, return_inverse=True, return_counts=True)
    sums = torch.nansum(x), torch.nansum(x, 1, True), torch.nansum(x, dim=0, dtype=torch.int32)
    chosen = *sums, torch.where(x > 0, x, y), x.masked_fill(x > 0, 1), torch.maximum(x, y)
    return (*chosen, x.tril(), x.triu(1), x.isnan(), x.isinf(), x.isfinite(), *places)


def _multiplied(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
    stacks = torch.bmm(x[None], y.T[None]), torch.einsum("ij,kj->ik", x, y)
    return (-x, x @ y.T, torch.mv(x, y[0]), torch.dot(x[0], y[0]), *stacks)


def _shifted(x: torch.Tensor, places: torch.Tensor) -> tuple[torch.Tensor, ...]:
    of_numbers = 1 << places, 100 >> places, x << 1, x >> 4, (x >> 4) & 0xF, x << 70, x >> 70
    return (*of_numbers, x << places, x >> places)


def _extremes(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    extremes = *x.max(0), *x.min(1, keepdim=True), x.max(), x.amin(1), x.argmax(), x.argmin(0)
    return (*extremes, F.pad(x, (1, 2)), x.nonzero(), x.sort(dim=1, stable=True)[0], x.topk(2)[0])


def _of_kind(kind: torch.dtype) -> Cases:
    if kind is torch.bool:
        few = integers(4, 5, low=0, high=2).to(kind)
        return (
            _case("truths", _chosen, few, few.flip(0)),
            _case(
                "extremes of truths", lambda x: (*x.max(0), *x.min(1, keepdim=True), x.max()), few
            ),
            _case("truths in order", lambda x: (*x.sort(dim=1, stable=True), x.sum(1) > 2), few),
            _case("truths in parts", lambda x: (x // 3, x // 1, x // 0.3, x % 2), few),
            _case("powers of truths", lambda x: (x**2, x**0.5, x.pow(0)), few),
        )
    info, name = torch.iinfo(kind), str(kind).removeprefix("torch.")
    some = integers(4, 20, low=info.min, high=info.max).to(kind)
    few = torch.where(some % 3 == 0, some, some % 3)
    places = torch.arange(-8, 72).reshape(4, 20).to(kind)
    return (
        _case(f"{name} that are chosen", _chosen, few, few.flip(0)),
        _case(f"products of {name}", _multiplied, some, some.flip(1)),
        _case(f"sums of {name}", lambda x: (x.sum(1, dtype=kind), x.sum(dtype=kind)), some),
        _case(f"shifts of {name}", _shifted, some, places),
        _case(f"extremes of {name}", _extremes, few),
    )


INTEGERS: Cases = (
    *(case for kind in (*_NARROW, torch.bool) for case in _of_kind(kind)),
    _case(
        "the larger and the smaller of 64-bit integers",
        lambda x, y: (torch.maximum(x, y), torch.fmin(x, y), x.clamp(y, y + 5)),
        _ONE,
        _OTHER,
    ),
    _case("64-bit integers within bounds", _bounded, _LARGE),
    _case("signs of 64-bit integers", lambda x: (x.sign(), x.sgn()), _LARGE),
    _case("the largest of 64-bit integers", _reduced, _LARGE),
    _case(
        "the largest at places",
        lambda x, y: x.scatter_reduce(0, y.abs() % 4, y, "amax"),
        _LARGE,
        _OTHERS,
    ),
    _case(
        "medians of integers",
        lambda x, y: (x.nanmedian(), x.nanmedian(1).values, y.median(), y[:0].int().median()),
        _LARGE,
        _OTHERS,
    ),
    _case(
        "the most frequent integers",
        lambda x, y: (
            *(x.mode().values, y.mode(0, True).values, (x % 3).mode(1)[0], (y > 0).mode()[0]),
            *(y.to(torch.uint8).mode(0)[0], x.flatten().int().mode()[0], x[0, 0].mode().values),
        ),
        _LARGE,
        _OTHERS,
    ),
    _case(
        "nothing that is rolled",
        lambda x: (x[:, :0].roll(1, 1), x[:0].roll(1, 0), x[:0].roll(3)),
        integers(2, 3),
    ),
    _case("relu of integers", lambda *x: tuple(map(F.relu, x)), *(_LARGE.to(k) for k in _NARROW)),
    _case(
        "products of integers that are added to",
        lambda x, y, z: (torch.addmm(x, y, z), torch.addmm(x[0], y, z, alpha=3, beta=2)),
        integers(2, 3) * 2**60,
        integers(2, 4) * 2**40,
        integers(4, 3) * 2**30,
    ),
    _case(
        "products of doubles that are added to",
        lambda x, y: torch.addmm(x, x, y, alpha=0.1, beta=0.3) - (3 * x + x @ y) / 10,
        integers(2, 2).double() * 1e9,
        integers(2, 2).double(),
    ),
    _case(
        "products of nothing that are added to",
        lambda x, y: (torch.addmm(x, y, y.T), torch.addmm(x[0], y, y.T, alpha=0.3, beta=0.2)),
        integers(2, 2) / 3,
        torch.zeros(2, 0),
    ),
    _case(
        "multiples of the lowest integer",
        torch.lcm,
        torch.tensor([-(2**63), -(2**63), -(2**63), 0, 2**62]),
        torch.tensor([-(2**63), 2, 3, -(2**63), 3]),
    ),
    _case(
        "divisors of the lowest integer",
        lambda x: (torch.gcd(x, x.flip(0)), torch.gcd(x, x * 0)),
        torch.tensor([-(2**63), 6, 2**62, -(2**63)]),
    ),
    _case(
        "spreads far below the mean",
        lambda x: (x.var(1), *torch.var_mean(x, 1), x.std(1, False), *torch.std_mean(x, (1, 2))),
        integers(2, 2, 2) * 1e3 + 1e9,
    ),
)  # fmt: skip
