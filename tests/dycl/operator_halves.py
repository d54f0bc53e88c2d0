"""Half precision beside numbers of other types, and products with powers of two."""

from collections.abc import Callable

import torch

from tests.dycl.operator_table import Cases, OperatorCase


def _case(name: str, function: Callable[..., object], *inputs: torch.Tensor) -> OperatorCase:
    return OperatorCase(name=name, function=function, inputs=inputs)


HALVES: Cases = (
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
)
