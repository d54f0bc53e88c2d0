"""Operators to try a backend with, each on inputs on which compiled code could differ."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

NAN, INFINITY = float("nan"), float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A function of tensors, and inputs for it."""

    function: Callable[..., Tensor | tuple[Tensor, ...]]
    inputs: tuple[Tensor, ...]


def _noise(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


X = _noise(2, 3, 4)
IMAGE = _noise(1, 4, 9, 7)
SPECIAL = torch.tensor([1.5, NAN, -2.5, INFINITY, -INFINITY, 0.0, -0.0, 0.5, -7.3])
INTEGERS = torch.tensor([[7, -7, 0], [2**40, -(2**40), 5]])
TIES = torch.tensor([[1.0, 3.0, 3.0, 2.0], [0.0, 0.0, -1.0, 0.0]])
INDEX = torch.tensor([1, 0, 1])
_KERNEL = _noise(5, 4, 3, 3, seed=1)


def _trial(function: Callable[..., Tensor | tuple[Tensor, ...]], *inputs: Tensor) -> Trial:
    return Trial(function=function, inputs=inputs)


TRIALS: Mapping[str, Trial] = {
    "add": _trial(lambda x: x + 1, X),
    "broadcast": _trial(lambda x, y: x * y - x, X, X[:, :1]),
    "division": _trial(lambda x, y: (x / y, x // 2), X, X + 0.3),
    "matrix product": _trial(lambda x, y: x @ y, X, X.transpose(1, 2).contiguous()),
    "convolution": _trial(lambda x: F.conv2d(x, _KERNEL, padding=1, stride=2), IMAGE),
    "max pool": _trial(lambda x: F.max_pool2d(x, 3, 2, padding=1), IMAGE),
    "average pool": _trial(lambda x: F.adaptive_avg_pool2d(x, 1), IMAGE),
    "softmax": _trial(lambda x: (x.softmax(1), x.log_softmax(-1)), X),
    "activations": _trial(lambda x: (torch.relu(x), x.sigmoid(), x.tanh(), F.gelu(x)), X),
    "norms": _trial(lambda x: (F.layer_norm(x, (4,)), F.group_norm(x, 3)), X),
    "reductions": _trial(lambda x: (x.sum(1), x.mean(), x.amax(2), x.prod(0), x.var(1)), X),
    "extremes": _trial(lambda x: (x.amax(), x.amin(), x.max(), x.min(), x.amax((0, 2))), X),
    "indices of extremes": _trial(lambda x: (x.argmax(1), x.argmin(1), x.max(1)[1]), TIES),
    "sorting": _trial(lambda x: x.topk(2, 1).values, X),
    "shapes": _trial(lambda x: (x.transpose(0, 1), x.reshape(4, 6), x[:, 1:], x.flatten()), X),
    "joining": _trial(lambda x: (torch.cat([x, x], 1), torch.stack([x, x]), F.pad(x, (1, 2))), X),
    "indexing": _trial(lambda x, i: (x[i], x.index_select(1, i)), X, INDEX),
    "writing": _trial(lambda x: x.clone().index_fill_(1, INDEX, 0.0), X),
    "comparing": _trial(lambda x: (x > 0, (x > 0) & (x < 1), torch.where(x > 0, x, -x)), X),
    "casts": _trial(lambda x: (x > 0).to(torch.int64), X),
    "float to integer": _trial(lambda x: (x * 3).to(torch.int64), X),
    "double precision": _trial(lambda x: x.double() / 3, X),
    "half precision": _trial(lambda x: (x.half() / 3).float(), X),
    "integers": _trial(lambda x: (x + 1, x * 3, x.sum(1), x.abs()), INTEGERS),
    "large integers pass through": _trial(lambda x: x.t(), INTEGERS),
    "integer overflow": _trial(lambda x: x * 2**40, INTEGERS),
    "bytes wrap around": _trial(lambda x: x + x, torch.tensor([200, 3], dtype=torch.uint8)),
    "integer division": _trial(lambda x: (x // 3, x % 3, x // -3), INTEGERS),
    "scalar": _trial(lambda x: x.sum(), X),
    "rank 0": _trial(lambda x: x * 2, torch.tensor(3.0)),
    "empty": _trial(lambda x: (x + 1, x.sum(0)), torch.zeros(0, 3)),
    "special: arithmetic": _trial(lambda x: (x + 1, x * 0, -x), SPECIAL),
    "special: relu": _trial(torch.relu, SPECIAL),
    "special: exponential": _trial(lambda x: (x.exp(), x.sigmoid(), x.tanh()), SPECIAL),
    "special: roots": _trial(lambda x: (x.sqrt(), x.log()), SPECIAL),
    "special: comparing": _trial(lambda x: (x > 0, x == x, x != x, x.isnan()), SPECIAL),
    "special: clamping": _trial(lambda x: (x.clamp(-1, 1), x.clamp(min=0.2)), SPECIAL),
    "special: extremes": _trial(lambda x: (x.max(), x.min(), x.argmax()), SPECIAL),
    "special: softmax": _trial(lambda x: x.softmax(0), SPECIAL),
    "special: maximum of two": _trial(lambda x: torch.maximum(x, x.flip(0)), SPECIAL),
    "special: choice": _trial(lambda x: torch.where(x > 0, x, torch.ones(())), SPECIAL),
}  # fmt: skip

COMMON = (
    "add", "broadcast", "matrix product", "convolution", "max pool", "softmax", "activations",
    "shapes", "joining", "comparing", "scalar", "rank 0",
)  # fmt: skip
"""Trials that no backend may refuse: a model without these is hard to find."""
