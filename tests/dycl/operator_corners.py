"""Where compiled operators are most likely to differ: NaN, infinities, bad indices, division."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from tests.dycl.operator_halves import HALVES
from tests.dycl.operator_table import Cases, OperatorCase

NAN, INFINITY = float("nan"), float("inf")


def _image() -> torch.Tensor:
    """Return an image with one NaN, one infinity and a window of -infinity."""
    x = torch.randn(1, 16, 12, 12, generator=torch.Generator().manual_seed(0))
    x[0, 3, 5, 6] = NAN
    x[0, 1, 2, 2] = INFINITY
    x[0, 2, :4, :4] = -INFINITY
    return x


def _seeded(*modules: nn.Module) -> nn.Module:
    module = nn.Sequential(*modules)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for tensor in module.parameters():
            tensor.copy_(torch.randn(tensor.shape, generator=generator) * 0.3)
    return module.eval()


def _recurrent(layer: nn.Module) -> Callable[..., object]:
    seeded = _seeded(layer)[0]  # type: ignore[index]
    return lambda x: seeded(x[0])[0]


IMAGE = _image()
_KERNELS_OF_SINGLE = (
    "erf",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "asinh",
    "acosh",
    "atanh",
)

_ON_IMAGE: dict[str, Callable[..., object]] = {
    "relu": torch.relu,
    "convolution": _seeded(nn.Conv2d(16, 16, 3)),
    "convolution and relu": _seeded(nn.Conv2d(16, 16, 3), nn.ReLU()),
    "convolution and relu6": _seeded(nn.Conv2d(16, 16, 3), nn.ReLU6()),
    "convolution and leaky relu": _seeded(nn.Conv2d(16, 16, 3), nn.LeakyReLU()),
    "convolution and sigmoid": _seeded(nn.Conv2d(16, 16, 3), nn.Sigmoid()),
    "convolution and hardswish": _seeded(nn.Conv2d(16, 16, 3), nn.Hardswish()),
    "convolution, batch norm, relu": _seeded(nn.Conv2d(16, 16, 3), nn.BatchNorm2d(16), nn.ReLU()),
    "residual": lambda x: torch.relu(x + x.flip(1)),
    "linear and relu": _seeded(nn.Linear(12, 5), nn.ReLU()),
    "max pool": nn.MaxPool2d(2),
    "max pool overlapping": nn.MaxPool2d(3, 2, padding=1, ceil_mode=True),
    "max pool dilated": nn.MaxPool2d(2, 1, dilation=2),
    "max pool in one dimension": lambda x: F.max_pool1d(x[0], 2),
    "max pool without batch": lambda x: F.max_pool2d(x[0], 2),
    "max pool in three dimensions": lambda x: F.max_pool3d(x, 2),
    "convolution and max pool": _seeded(nn.Conv2d(16, 16, 3), nn.ReLU(), nn.MaxPool2d(2)),
    "max pool of finite numbers": lambda x: F.max_pool2d(x.nan_to_num(0.0, 9.0, -9.0), 2),
    "max pool of large numbers": lambda x: F.max_pool2d(x.nan_to_num(0.0, 1e30, -1e30), 2),
    "max pool of doubles": lambda x: F.max_pool2d(x.double(), 3, 2, padding=1),
    "average pool": nn.AvgPool2d(2),
    "adaptive max pool": nn.AdaptiveMaxPool2d(1),
    "adaptive average pool": nn.AdaptiveAvgPool2d(1),
    "softmax": lambda x: x.softmax(1),
    "log softmax": lambda x: x.log_softmax(-1),
    "clamp": lambda x: (x.clamp(-1, 1), x.clamp(min=0.1), x.clamp(max=0.1)),
    "sigmoid and tanh": lambda x: (torch.sigmoid(x), torch.tanh(x)),
    "silu, elu, mish, softplus": lambda x: (F.silu(x), F.elu(x), F.mish(x), F.softplus(x)),
    "prelu": _seeded(nn.PReLU(16)),
    "layer norm": nn.LayerNorm(12).eval(),
    "group norm": nn.GroupNorm(4, 16).eval(),
    "instance norm": nn.InstanceNorm2d(16).eval(),
    "interpolate": lambda x: F.interpolate(x, scale_factor=2.0, mode="bilinear"),
    "sums": lambda x: (x.sum((2, 3)), x.mean(1), x.std(1), x.prod(1), x.cumsum(1)),
    "extremes": lambda x: (x.amax(1), x.amin((2, 3)), x.max(), x.min(), x.argmax(), x.argmin()),
    "extremes by dimension": lambda x: (*x.max(1), *x.min(2, keepdim=True), x.argmax(3)),
    "extreme with dimension kept": lambda x: x.argmax(None, keepdim=True),
    "sorting": lambda x: (*x.topk(3, 1), *x.sort(2), *x.sort(3, descending=True)),
    "median": lambda x: x.median(1).values,
    "median with its dimension kept": lambda x: x.median(2, keepdim=True).values,
    "median of all": lambda x: x.median(),
    "median of finite numbers": lambda x: x.nan_to_num().median(1).values,
    "kth value": lambda x: x.kthvalue(2, 1).values,
    "kth value with its dimension kept": lambda x: x.kthvalue(9, 2, keepdim=True).values,
    "cumulative product": lambda x: x.cumprod(1),
    "cumulative product of doubles": lambda x: x.double().cumprod(-1),
    "uneven adaptive max pool": lambda x: (
        F.adaptive_max_pool2d(x, (5, 7)),
        F.adaptive_max_pool2d(x[0], 3),
    ),
    "uneven adaptive pool in one dimension": lambda x: F.adaptive_max_pool1d(x[0], 5),
    "uneven adaptive pool in three dimensions": lambda x: (
        F.adaptive_max_pool3d(x, (3, 5, 12)),
        F.adaptive_avg_pool3d(x, (3, 5, 7)),
        F.adaptive_avg_pool3d(x[None], 4),
    ),
    "smallest": lambda x: x.topk(3, 1, largest=False).values,
    "norms to infinity": lambda x: (
        *(torch.linalg.vector_norm(x, order, 1) for order in (INFINITY, -INFINITY)),
        torch.norm(x, p=INFINITY),
        F.normalize(x, p=INFINITY, dim=1),
        torch.linalg.vector_norm(x, INFINITY, 0, keepdim=True, dtype=torch.float64),
        torch.linalg.vector_norm(x[0, 0, 0], -INFINITY),
    ),
    "logsumexp and norm": lambda x: (x.logsumexp(1), F.normalize(x, dim=1)),
    "where": lambda x: torch.where(x > 0, x, torch.zeros(())),
    "maximum of two": lambda x: (torch.maximum(x, x.flip(1)), torch.minimum(x, x.flip(1))),
    "matrix product": lambda x: x @ x.transpose(2, 3),
    "step": lambda x: torch.heaviside(x, x.new_full((), 0.5)),
    "sign and rounding": lambda x: (torch.sign(x), torch.round(x), torch.floor(x)),
    "in half precision": lambda x: (x.half().argmax(1), x.half().clamp(min=0)),
    "in double precision": lambda x: (x.double().max(1).values, x.double().sort(1).values),
    "lstm": _recurrent(nn.LSTM(12, 4, batch_first=True)),
    "lstm in two directions": _recurrent(nn.LSTM(12, 4, bidirectional=True)),
    "gru": _recurrent(nn.GRU(12, 4, batch_first=True)),
    "rnn": _recurrent(nn.RNN(12, 4, nonlinearity="relu")),
}


def _long_sequence() -> torch.Tensor:
    x = torch.randn(1, 2, 18, 12, generator=torch.Generator().manual_seed(0))
    x[0, 1, 7, 3] = NAN
    return x


# With so many layers and directions, these are more than MOST_STEPS steps.
_ON_LONG_SEQUENCE: dict[str, Callable[..., object]] = {
    "long lstm": _recurrent(nn.LSTM(12, 4, num_layers=4, batch_first=True)),
    "long lstm in two directions": _recurrent(
        nn.LSTM(12, 4, num_layers=2, batch_first=True, bidirectional=True)
    ),
    "long gru": _recurrent(nn.GRU(12, 4, num_layers=4, batch_first=True)),
}


def _case(name: str, function: Callable[..., object], *inputs: torch.Tensor) -> OperatorCase:
    return OperatorCase(name=name, function=function, inputs=inputs)


def _tensor(*values: float) -> torch.Tensor:
    return torch.tensor(values)


_DIVISION: Cases = (
    _case("remainder of infinity", lambda x, y: x % y, _tensor(1, INFINITY, -1, 5, NAN),
          _tensor(INFINITY, 2, INFINITY, 0, 1)),
    _case("floats floor division", lambda x, y: x // y, _tensor(1, -1, 0, 1, 7.5, -7.5),
          _tensor(0, 0, 0, 0.1, 2, 2)),
    _case("large integers", lambda x, y: (x // y, x % y, torch.div(x, y, rounding_mode="trunc")),
          torch.tensor([2**53 + 1, -(2**53) - 1, 16777217]), torch.tensor([1, 1, -1])),
    _case("scalar remainder", lambda x: (x % 3, x % -0.7), _tensor(5, -5, 0.3)),
    _case("remainder of integers", lambda x: (x % 3, x % -3, x // 3), torch.tensor([5, -5, 0])),
    _case("integers and fractions", lambda x: (x // 2.5, 7.5 // (x + 1), 7 // x, True // x, 0.5 - x,
          -0.5 - x.int()[0], x ** (x > 0)), torch.tensor([5, -5, 2])),
    _case("powers of one element", lambda x, y: (x[0] ** y, (x[0] * 0.5) ** y),
          torch.tensor([3, 2]), torch.tensor([0, 5, 7], dtype=torch.uint8)),
    _case("far numbers", lambda x: (x > 1e300, x != -1e39), _tensor(INFINITY, -INFINITY, 3e38)),
    _case("lone element", lambda x: (x.std(1), x.var(1)), torch.randn(3, 1)),
    _case("softmax of -infinity", lambda x: x.softmax(1), torch.full((2, 3), -INFINITY)),
    _case("uint8", lambda x: (x * 0.5, x.float() / 2), torch.tensor([201, 2], dtype=torch.uint8)),
    _case("median of integers", torch.median, torch.tensor([3, -5, 7, 9])),
    _case("products of integers", lambda x: x.cumprod(0), torch.tensor([3, -5], dtype=torch.int32)),
    _case("products that leave single precision", lambda x: x.cumprod(0),
          _tensor(1e30, 1e30, 1e-30, 1e-30, 1e-38, 1e-38, 1e38, 0.0, INFINITY, 1)),
    _case("sums that leave single precision", lambda x: x.cumsum(0),
          _tensor(3e38, 3e38, -3e38, -3e38, 1.0)),
    _case("deviations whose squares leave single precision",
          lambda x: (x.std(1), x.std(1, unbiased=False, keepdim=True), x.std()),
          _tensor(1e30, 3e30, -2e30, 1e-25, 3e-25, 2e-25).reshape(2, 3)),
    _case("deviations and means that leave single precision",
          lambda x: (*torch.std_mean(x, 1), *torch.var_mean(x / 1e20, 1, correction=0)),
          _tensor(3e38, 2e38, 1e38, -3e38, -2e38, 1e30).reshape(2, 3)),
    _case("directions", torch.atan2, *torch.cartesian_prod(
          *[_tensor(0.0, -0.0, 1.5, -1.5, INFINITY, -INFINITY, NAN)] * 2).unbind(1)),
    _case("the next numbers", lambda x, y: (x.nextafter(y) - x, y.nextafter(x) - y,
          x.double().nextafter(y.double()) - x.double(), x.nextafter(y)),
          _tensor(1, 1, -1, 2, 1e-30, 3e38, 0.1, 5, NAN),
          _tensor(2, 0, -2, 1, 1, INFINITY, 0.1, -5, 1)),
    _case("small numbers beside large ones", lambda x: (x / (x.sum() + 1e-13), (x + 1e-9) * 1e9,
          (1e-10 - x) * 1e10, (x - 1e-12) * 1e12,
          ((x.double() + 1) * 1.000001 - 1 - x.double()) * 1e6,
          ((x.double() + 1) / 1.000001 - 1) * 1e6, ((x.double() + 1) * (1 + 1e-12) - 1) * 1e12),
          _tensor(0.0, 0.0, 1e-9)),
    _case("constants in double precision", lambda x: tuple(
          (found.double() - found.double().round(decimals=5)) * 1e5 for found in (
          x.log10(), x.log2(), x.sinc(), F.celu(-x, 0.3), F.hardtanh(x * 9, -1 / 3, 1 / 3),
          torch.special.sinc(x))), _tensor(0.1, 0.7, 2.3, 41.9, 1e-3).double()),
    _case("logarithms of integers", lambda x: (x.log2(), x.log10(), x.sinc(), F.hardtanh(x, -2, 2)),
          torch.tensor([1, 2, 10])),
    _case("sums that only a small number keeps from 0", lambda x: x / (x.sum() + 1e-13),
          _tensor(0.0, 0.0, 0.0)),
    _case("what is left of small numbers", lambda x: (torch.log1p(x) / x, torch.expm1(x) / x,
          torch.atanh(x) / x, torch.special.log1p(x) / x, torch.special.expm1(x) / x),
          _tensor(1e-8, -3e-7, 2e-5, -1e-3, 0.3, -0.7)),
    _case("logs of probabilities near 1", lambda x: F.logsigmoid(x) * x.exp(),
          _tensor(9.0, 20.0, 40.0, 80.0)),
    _case("logs of large sums", lambda x: (F.logsigmoid(x), torch.logaddexp(x, x.flip(0)),
          torch.logaddexp2(x, x.flip(0) - 1),
          F.binary_cross_entropy_with_logits(x, (x > 0).float())),
          _tensor(-110, 110, 100, -200, 0, 3e38, -3e38, -0.5)),
    _case("logs of infinite sums", lambda x: (F.logsigmoid(x), torch.logaddexp(x, x.flip(0)),
          torch.logaddexp(x, x)), _tensor(INFINITY, -INFINITY, NAN, 1.0)),
    _case("running logs of sums",
          lambda x: torch.stack([x.logcumsumexp(0), x.reshape(2, 3).logcumsumexp(1).flatten()]),
          _tensor(-300, 0, 300, 299, -INFINITY, 5)),
    _case("distances of rows", lambda x, y: torch.stack(
          [torch.cdist(x, y, p=p) for p in (0.0, 1.0, 2.0, 3.0, INFINITY)]),
          _tensor(1, INFINITY, NAN, -0.0, 2, 3, 1e30, 5).reshape(4, 2),
          _tensor(1, INFINITY, 4, 0.0, 2, -3).reshape(3, 2)),
    _case("diagonals beside infinities", lambda x: (x.diagonal(), x.diagonal(1), x.diagonal(-2),
          x.diagonal(5), x.trace(), torch.stack([x, x + 1]).diagonal(0, 1, 2), (x > 0).diagonal()),
          _tensor(1, INFINITY, NAN, -0.0, 2, 3, 4, 5, -INFINITY, 7, 8, 9).reshape(3, 4)),
    _case("roots and signs", lambda x: (x**0.5, x**-0.5, torch.signbit(x[1:])),
          _tensor(NAN, 4.0, -1.0, 0.0, -0.0, INFINITY, -INFINITY)),
    _case("gamma functions", lambda x: (x.lgamma(), torch.digamma(x), torch.lgamma(x.double()),
          torch.special.psi(x.double()), x.nan_to_num(0, 9, -9).long().lgamma(),
          torch.mvlgamma(x.abs().clamp(3, 50), 3), x.half().lgamma()),
          _tensor(NAN, INFINITY, -INFINITY, -0.0, 0.0, 1e30, -1e30, 1e-30, -1e-30, 0.5, -0.5,
                  -1.0, 1, 2, 3, -7.3, -20.1, 200.5, 9.99, -3.01, 170.2)),
    _case("slopes of digamma", lambda x: (torch.polygamma(1, x), torch.polygamma(0, x),
          torch.special.polygamma(1, x.double())),
          _tensor(NAN, INFINITY, 0.0, 0.1, 0.5, 1, -0.5, -3.4, 7, 1e20)),
    _case("inverse error function", lambda x: (x.erfinv(), torch.special.erfinv(x.half())),
          _tensor(NAN, 0.0, -0.0, 1, -1, 1.1, 0.5, -0.3, 0.99, -0.9999, 0.9999999, 1e-30)),
    _case("Bessel functions", lambda x: (torch.i0(x), torch.special.i1(x), torch.special.i0e(x),
          torch.special.i1e(x.double()), torch.i0(x.double()), torch.special.i1(x.half())),
          _tensor(NAN, INFINITY, -INFINITY, -0.0, 0.0, 1e30, -1e-30, 0.5, -7.9, 8.0, -8.1, 60,
                  88, -89, 91)),
    _case("doubles without kernels", lambda x: tuple(
              getattr(torch, name)(x.double()) for name in _KERNELS_OF_SINGLE),
          _tensor(NAN, INFINITY, -INFINITY, -0.0, 0.0, 1, -1, 0.5, -0.3, 2.4, -7, 1e-30, 1e30, 3)),
    _case("activations of doubles", lambda x: tuple(each(x.double()) for each in (
              F.leaky_relu, F.elu, F.selu, F.gelu, F.softplus, F.mish,
              lambda y: F.elu(y, 0.7), lambda y: F.softplus(y, 2.0, 3.0))),
          _tensor(NAN, INFINITY, -0.0, 0.0, 1, -1, 0.5, -0.3, 30, -30, 800, -800)),
    _case("slopes of doubles", lambda x, w: (
              F.prelu(x[0].double(), w[:1]), F.prelu(x, w[:1].float()),
              *(F.prelu(x.double().view(size), w) for size in ((-1, 3), (2, 3, 4), (1, 3, 2, 4)))),
          torch.randn(4, 6), torch.tensor([0.3, -1.0, 2.0], dtype=torch.float64)),
    _case("directions of doubles", lambda x: torch.atan2(x.double()[:, None], x.double()),
          _tensor(NAN, INFINITY, -INFINITY, -0.0, 0.0, 1, -1, 0.5, -3)),
    _case("int32 sums", lambda x: x.sum(), torch.full((3,), 2**30, dtype=torch.int32)),
)  # fmt: skip


CORNERS: Mapping[str, Cases] = {
    "special values": tuple(_case(n, f, IMAGE) for n, f in _ON_IMAGE.items()),
    "long sequences": tuple(_case(n, f, _long_sequence()) for n, f in _ON_LONG_SEQUENCE.items()),
    "division": _DIVISION,
    "halves": HALVES,
}

_ROWS = torch.randn(3, 2, generator=torch.Generator().manual_seed(0))
_ROW = torch.randn(3, generator=torch.Generator().manual_seed(0))
_GOOD, _HIGH, _LOW = torch.tensor([2, 0, 1]), torch.tensor([5, 0, 1]), torch.tensor([-1, 0, 1])
_ZERO = torch.tensor([1, 0, 2])

RAISING: Mapping[str, tuple[Callable[..., object], torch.Tensor, torch.Tensor, tuple[Any, ...]]] = {
    "gather": (lambda x, i: x.gather(0, i), _ROW, _GOOD, (_HIGH, _LOW)),
    "embedding": (lambda x, i: F.embedding(i, x), _ROWS, _GOOD, (_HIGH, _LOW)),
    "index": (lambda x, i: x[i], _ROWS, _GOOD, (_HIGH, _LOW - 3)),
    "index select": (lambda x, i: x.index_select(0, i), _ROWS, _GOOD, (_HIGH, _LOW)),
    "scatter": (lambda x, i: x.scatter(0, i, 1.0), _ROW, _GOOD, (_HIGH, _LOW)),
    "scatter add": (lambda x, i: x.scatter_add(0, i, x), _ROW, _GOOD, (_HIGH, _LOW)),
    "index add": (lambda x, i: x.index_add(0, i, x), _ROWS, _GOOD, (_HIGH, _LOW)),
    "index copy": (lambda x, i: x.index_copy(0, i, x), _ROWS, _GOOD, (_HIGH, _LOW)),
    "one hot": (lambda x, i: F.one_hot(i, 3) * x.long()[:, :1], _ROWS, _GOOD, (_HIGH, _LOW)),
    "order of a search": (
        lambda x, i: torch.searchsorted(x, x, sorter=i), _ROW, _GOOD, (_HIGH, _LOW)
    ),
    "floor division": (lambda x, i: x.long() // i, _ROW, _GOOD + 1, (_ZERO,)),
    "remainder": (lambda x, i: x.long() % i, _ROW, _GOOD + 1, (_ZERO,)),
    "truncated division": (
        lambda x, i: torch.div(x.long(), i, rounding_mode="trunc"), _ROW, _GOOD + 1, (_ZERO,)
    ),
}  # fmt: skip
"""Function, a tensor, indices it takes, and indices that it must refuse at run time."""

REFUSED: Mapping[str, Callable[..., object]] = {
    "bags of doubles": lambda x: F.embedding_bag(torch.tensor([[0, 2], [1, 1]]), x.double()),
    "place of the median": lambda x: x.median(1).indices,
    "eigenvectors": lambda x: torch.linalg.eigh(x @ x.T).eigenvectors,
    "places of doubles in an uneven adaptive max pool": lambda x: F.adaptive_max_pool2d(
        x[None, None].double(), (2, 2), return_indices=True
    )[1][0, 0],
}
"""Functions of a 3x3 tensor that ONNX has no operator for."""
