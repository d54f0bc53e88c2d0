"""Half precision beside numbers of other types, powers of two, and the largest numbers."""

from collections.abc import Callable

import torch
import torch.nn.functional as F

from tests.dycl.operator_table import Cases, OperatorCase


def _case(name: str, function: Callable[..., object], *inputs: torch.Tensor) -> OperatorCase:
    return OperatorCase(name=name, function=function, inputs=inputs)


_LARGEST = torch.finfo(torch.float32).max
_NEAR_INFINITY = torch.tensor(
    [
        [1.0, _LARGEST, float("inf"), _LARGEST, 2.0],
        [-_LARGEST, 3.0, -float("inf"), -_LARGEST, -float("inf")],
        [_LARGEST, float("inf"), float("nan"), float("inf"), float("nan")],
    ]
)

_DOUBLES, _HALVES = (
    torch.where(
        _NEAR_INFINITY.abs() == _LARGEST,
        _NEAR_INFINITY.double().sign() * torch.finfo(kind).max,
        _NEAR_INFINITY,
    ).to(kind)
    for kind in (torch.float64, torch.float16)
)


def _extremes(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return (
        *(x.argmax(1), x.argmin(1), *x.max(1), *x.min(1, keepdim=True), x.argmax()),
        *(*x.sort(dim=1, stable=True), *x.sort(dim=1, descending=True, stable=True)),
        *(x.topk(2, 1).values, x.topk(2, 1, largest=False).values),
    )


HALVES: Cases = (
    _case(
        "half precision that is given as it was computed",
        lambda x: (x.abs(), x.cumsum(1), x.sum(0), x.amax(1), x.var(1), x.cumprod(0), x),
        torch.tensor([[0.5, -2.0, 3.0], [1.5, 0.25, -4.0]]).half(),
    ),
    _case("largest numbers beside infinities", _extremes, _NEAR_INFINITY),
    _case(
        "sums of powers beside infinities and NaN",
        lambda x: (x.logsumexp((0, 1)), x.logsumexp(0), x.half().logsumexp(1, keepdim=True)),
        torch.tensor([[1.0, -float("inf"), float("nan")], [-float("inf"), 2.0, float("inf")]]),
    ),
    _case("largest doubles beside infinities", _extremes, _DOUBLES),
    _case("largest halves beside infinities", _extremes, _HALVES),
    _case(
        "half precision rounded at the end",
        lambda x: (
            x.addmm(x, x, beta=1e5),
            x[None].baddbmm(x[None], x[None], beta=0.3, alpha=1e-3),
            F.softplus(x, 1e5, 1e6),
            F.softplus(x, 1e-6),
        ),
        torch.tensor([[-0.7, 1e-3], [200.0, 0.3]]).half(),
    ),
    _case(
        "softplus whose powers are infinite",
        lambda x: (F.softplus(x, 1, 1e5), F.softplus(x.half(), 1, 1e5), F.softplus(x, 0.1, 1e3)),
        torch.tensor([-1e3, 88.5, 89.0, 1e3, float("nan"), float("inf")]),
    ),
    _case(
        "whole parts of infinities",
        lambda x: (x > x.int(), x == x.long(), x.long(), x.half() < x.half().int()),
        torch.tensor([2.5, -float("inf"), float("inf"), float("nan"), -3e38, 7.0]),
    ),
    _case(
        "half precision times a number",
        lambda x: (
            x * 0.1,
            x / 0.3,
            x * 1e5,
            0.1 / x,
            x > 1e5,
            x * torch.tensor(0.1),
            torch.tensor(0.1) * x,
            x.clone().mul_(3.3),
            x**0.5,
            x**-0.5,
        ),
        torch.tensor([0.3, -0.7, float("inf"), 0.55, float("-inf"), -0.0]).half(),
    ),
    _case(
        "half precision beside numbers of other types",
        lambda x: (
            x // 0.3,
            torch.div(x, torch.tensor(0.3), rounding_mode="trunc"),
            x - 1e5,
            x > torch.tensor(70000),
            torch.tensor(65520.0) == x,
            x.clone().gt_(1e5),
            x.addcdiv(x, x.flip(0), value=1e5),
            x.clone().floor_divide_(0.3),
        ),
        torch.tensor([6.3, 5.1, 33.3, 0.9, float("inf"), 65504]).half(),
    ),
    _case(
        "moved by places",
        lambda x: (
            torch.ldexp(x, torch.tensor(2000)),
            torch.ldexp(x, torch.tensor([-160] * 6)),
            torch.ldexp(x.double(), torch.tensor(-1100)),
            torch.ldexp(x.half(), torch.tensor([3] * 6).byte()),
            x.ldexp(torch.tensor([1.5])),
            x[2:5].nan_to_num().long().ldexp(torch.tensor(3)),
        ),
        torch.tensor([0.0, -0.0, 1e30, float("nan"), -float("inf"), 1.5]),
    ),
    _case(
        "norms of half precision",
        lambda x: (x.norm(3), torch.linalg.vector_norm(x, 1.5), x[None].norm(4, 1, True)),
        torch.tensor([300.0, -200.0, 0.25, 1e-4]).half(),
    ),
    _case(
        "statistics of half precision",
        lambda x: (
            x.std(),
            x.var(0),
            x.std(0, keepdim=True),
            *torch.std_mean(x, 0),
            torch.sinc(x / 3),
        ),
        torch.tensor([300.0, -200.0, 0.25, 1e-4]).half(),
    ),
)
