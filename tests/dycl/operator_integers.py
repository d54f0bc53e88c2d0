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


INTEGERS: Cases = (
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
    _case("relu of integers", lambda *x: tuple(map(F.relu, x)), *(_LARGE.to(k) for k in _NARROW)),
    _case(
        "products of integers that are added to",
        lambda x, y, z: (torch.addmm(x, y, z), torch.addmm(x[0], y, z, alpha=3, beta=2)),
        integers(2, 3) * 2**60,
        integers(2, 4) * 2**40,
        integers(4, 3) * 2**30,
    ),
    _case(
        "products of nothing that are added to",
        lambda x, y: (torch.addmm(x, y, y.T), torch.addmm(x[0], y, y.T, alpha=0.3, beta=0.2)),
        integers(2, 2) / 3,
        torch.zeros(2, 0),
    ),
)  # fmt: skip
