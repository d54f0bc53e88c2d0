"""Types and borders: integers that wrap around, infinities within bounds, truths, factors 0."""

from collections.abc import Callable

import torch
import torch.nn.functional as F

from tests.dycl.operator_table import Cases, OperatorCase

NAN, INFINITY = float("nan"), float("inf")
_SPECIAL = torch.tensor([NAN, INFINITY, -INFINITY, -0.0, 0.0, 1.0, -1.0, 0.5, 2.0, 1e-5])
_LEFT, _RIGHT = torch.cartesian_prod(_SPECIAL, _SPECIAL).unbind(1)
_ROWS = _RIGHT.reshape(10, 10)
_BASES = torch.tensor([0, 1, 2, 3, 5, 7, 100, 1, 2, 9, -1, -2, -3, -1, 127])
_EXPONENTS = torch.tensor([0, 5, 70, 40, 13, 3, 9, 33, 63, 2, 3, 4, 5, 6, 127])
_BATCH, _OTHER = torch.arange(24.0).reshape(2, 3, 4), torch.arange(40.0).reshape(2, 4, 5)
_ADDED = _LEFT[:15].reshape(3, 5)


def _case(name: str, function: Callable[..., object], *inputs: torch.Tensor) -> OperatorCase:
    return OperatorCase(name=name, function=function, inputs=inputs)


def _powers(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return x**y, x**0, x**1, x**2, x**20


def _bounds(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    low, high = torch.full_like(x, -1), torch.full_like(x, 1)
    return x.clamp(min=2), x.clamp(max=-2), x.clamp(-2, 2), x.clamp(min=low), x.clamp(low, high)


_INTEGERS = {
    str(kind).removeprefix("torch."): kind
    for kind in (torch.int64, torch.int32, torch.int16, torch.int8)
}

BOUNDS: Cases = (
    *(
        _case(f"powers of {name}", _powers, _BASES.to(kind), _EXPONENTS.to(kind))
        for name, kind in _INTEGERS.items()
    ),
    _case(
        "powers of uint8",
        lambda x, y: (x**y, 3**y, x**2, x**0, x**3),
        _BASES.abs().to(torch.uint8),
        _EXPONENTS.to(torch.uint8),
    ),
    _case("powers below 0", lambda x, y: (x ** (-y), (-2) ** y), _BASES, _EXPONENTS),
    _case("powers of a number by integers", lambda y: (2.5**y, 2**y), _EXPONENTS[3:7]),
    _case("powers of two types", lambda x, y: (x**y, y**x), _BASES.int()[:10], _EXPONENTS[:10]),
    *(_case(f"bounds of {name}", _bounds, _BASES.to(kind)) for name, kind in _INTEGERS.items()),
    _case("bounds of floats", _bounds, _SPECIAL),
    _case("bounds of half precision", _bounds, _SPECIAL.half()),
    _case("bounds of double precision", _bounds, _SPECIAL.double()),
    _case("a factor 0 before a logarithm", torch.xlogy, _LEFT, _RIGHT),
    _case(
        "factors before logarithms",
        lambda x, y: (torch.xlogy(x, 2.0), torch.special.xlog1py(x, y)),
        _LEFT,
        _RIGHT,
    ),
    _case(
        "angles of real numbers",
        lambda x: (x.angle(), x.half().angle(), x.nan_to_num(5).short().angle()),
        _SPECIAL,
    ),
    _case("logits within bounds", lambda x: (torch.logit(x), torch.logit(x, eps=1e-3)), _SPECIAL),
    _case(
        "softmax of doubles",
        lambda x: (x.log_softmax(0), x.log_softmax(1), x.softmax(1), x[0].log_softmax(0)),
        _ROWS.double(),
    ),
    _case(
        "what a factor 0 leaves out",
        lambda x, a, b: (
            x.addbmm(a, b, beta=0),
            x.baddbmm(a, b, beta=0),
            x.addmm(a[0], b[0], beta=0),
        ),
        _ADDED,
        _BATCH,
        _OTHER,
    ),
    _case(
        "products with factors",
        lambda x, a, b: (x.addbmm(a, b, beta=2, alpha=3), x.baddbmm(a, b, beta=0.5, alpha=2)),
        _ADDED.nan_to_num(1.0, 2.0, 3.0),
        _BATCH,
        _OTHER,
    ),
    _case(
        "products with a vector",
        lambda x, a: (
            x[0, :3].addmv(a[0], a[0, 0], beta=0),
            a[0, :, 0].addmv(a[0], a[1, 0], beta=2),
        ),
        _ADDED,
        _BATCH,
    ),
    _case(
        "max pool with indices",
        lambda x: (F.max_pool2d(x, 3, 2, padding=1, return_indices=True)[0],),
        _ROWS[None, None],
    ),
    _case(
        "integers rounded",
        lambda x: (x.floor(), x.ceil(), x.trunc(), x.fix(), x.round()),
        _BASES,
    ),
    _case(
        "truths added",
        lambda x: ((x > 1) + (x < 3), (x > 1) * (x < 3), (x > 1).clone().add_(x > 0)),
        _BASES,
    ),
    _case(
        "several types joined",
        lambda x: (
            torch.stack([x, x > 1]),
            torch.hstack([x > 1, x, x.double()]),
            torch.vstack((x.int(), x.half())),
            torch.dstack((x, x.float())),
            torch.column_stack((x > 1, x.int())),
        ),
        _BASES,
    ),
    _case(
        "means in another type",
        lambda x: (
            x.mean(dtype=torch.float32),
            (x > 1).mean(0, dtype=torch.float64),
            x.double()[None].mean(1, keepdim=True, dtype=torch.float32),
        ),
        _BASES,
    ),
    _case(
        "norms of all with their dimensions",
        lambda x: tuple(
            torch.linalg.vector_norm(x, order, keepdim=True) for order in (3, 2, 1, 0, 0.5)
        ),
        _ROWS.nan_to_num(1.0, 2.0, 3.0),
    ),
)
