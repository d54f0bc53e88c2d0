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
_SEEN = torch.tensor([[True, False, True], [False, False, False], [False, True, False]])
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
        "products that a factor 0 leaves out",
        lambda x, a, b: (
            x.addmm(a, b, alpha=0),
            x[0].addmm(a, b, alpha=0, beta=0.5),
            x.addbmm(a[None], b[None], alpha=0),
            x[:, 0].addmv(a, b[:, 0], alpha=0, beta=0),
            x.double().addmm(a.double(), b.double(), alpha=0),
            x.half().addmm(a.half(), b.half(), alpha=0),
            x.baddbmm(a[None], b[None], alpha=0),
            x[:2, :2].baddbmm(a[None, :2], b[None, :, :2], alpha=0),
            x[:1, :1].baddbmm(a.repeat(9, 2)[None], b.repeat(2, 9)[None], alpha=0),
        ),
        _ADDED,
        _ROWS[:3, :4],
        _ROWS[:4, :5],
    ),
    _case(
        "masks beside NaN and infinities",
        lambda q, k, v: (
            F.scaled_dot_product_attention(q, k, v, attn_mask=_SEEN),
            F.scaled_dot_product_attention(q[None, None], k[None, None], v[None, None], _SEEN),
            F.scaled_dot_product_attention(q, k, v, is_causal=True),
        ),
        _ROWS[:3, :4].clone(),
        _ROWS[3:6, 2:6].clone(),
        _ROWS[6:9, 4:8].nan_to_num(0.5, 2.0, 3.0),
    ),
    _case(
        "weights of a mean that are far away",
        lambda x, y: (torch.lerp(x, y, y), torch.lerp(x, x.flip(0), y.flip(0) * 0.2)),
        _LEFT,
        _RIGHT,
    ),
    _case(
        "quotients that are added",
        lambda x, y: (
            torch.addcdiv(x, x, y, value=0),
            torch.addcdiv(x, x, y * 1e-40, value=0),
            torch.addcdiv(x, y, x, value=0.5),
        ),
        _LEFT,
        _RIGHT,
    ),
    _case(
        "remainders of a number",
        lambda y: (torch.remainder(3.0, y), torch.remainder(-0.7, y), 7 % (y.sign() * 3).half()),
        _SPECIAL,
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
