"""Operators that models use, each with inputs on which compiled code could differ.

The inputs are chosen to be unkind: negative numbers, ties, NaN, infinities, empty tensors,
sizes that do not divide.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorCase:
    """A function of tensors and the inputs to try it on."""

    name: str
    function: Callable[..., object]
    inputs: Sequence[torch.Tensor]


Cases = tuple[OperatorCase, ...]


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def _integers(*shape: int, low: int = -9, high: int = 10) -> torch.Tensor:
    return torch.randint(low, high, shape, generator=torch.Generator().manual_seed(0))


NAN, INFINITY = float("nan"), float("inf")
X = normal(2, 3, 4)
POSITIVE = X.abs() + 0.1
IMAGE = normal(2, 4, 9, 7)
SPECIAL = torch.tensor([1.5, NAN, -2.5, INFINITY, -INFINITY, 0.0, -0.0, 0.5, -0.5, 2.5, -7.3])
TIES = torch.tensor([[1.0, 3.0, 3.0, 2.0, 3.0], [0.0, 0.0, -1.0, 0.0, 0.0]])
WITH_NAN = torch.tensor([[1.0, NAN, 3.0], [4.0, 5.0, 6.0], [NAN, 0.0, NAN]])
DIVIDENDS = torch.tensor([7, -7, 7, -7, 6, 0, -1])
DIVISORS = torch.tensor([2, 2, -2, -2, 3, 5, 3])
BOOLS = torch.tensor([[True, False, True], [False, False, False]])
EMPTY = torch.zeros(0, 3)
TOKENS = torch.tensor([[1, 5, 0], [2, 2, 6]])
SQUARE = normal(2, 4, 4)


def _in_place(x: torch.Tensor) -> torch.Tensor:
    x[:, 0] = 0
    x.add_(1).mul_(2)
    x[..., 1:3] += 5
    return x


def _views(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    view = x.view(-1)
    view[0] = 9.0
    return x, view, x.transpose(0, 1), x[0]


_UNARY: dict[str, tuple[Callable[..., object], torch.Tensor]] = {
    **{
        name: (getattr(torch, name), SPECIAL)
        for name in (
            "abs",
            "neg",
            "sign",
            "floor",
            "ceil",
            "round",
            "trunc",
            "frac",
            "exp",
            "expm1",
            "sigmoid",
            "tanh",
            "sin",
            "cos",
            "tan",
            "atan",
            "sinh",
            "cosh",
            "asinh",
            "erf",
            "relu",
            "square",
            "isnan",
            "isinf",
            "isfinite",
            "logical_not",
            "nan_to_num",
            "exp2",
        )
    },
    **{
        name: (getattr(torch, name), POSITIVE)
        for name in ("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal", "acosh")
    },
    **{name: (getattr(torch, name), X.clamp(-0.9, 0.9)) for name in ("asin", "acos", "atanh")},
    **{
        name: (getattr(F, name), SPECIAL)
        for name in (
            "relu6",
            "elu",
            "selu",
            "celu",
            "silu",
            "mish",
            "softplus",
            "softsign",
            "leaky_relu",
            "hardtanh",
            "hardswish",
            "hardsigmoid",
            "logsigmoid",
            "tanhshrink",
        )
    },
    "log of negatives": (torch.log, SPECIAL),
    "sqrt of negatives": (torch.sqrt, SPECIAL),
    # not at infinity, where eager PyTorch itself gives NaN or infinity, as the length happens
    # to be vectorised
    "gelu": (F.gelu, X),
    "gelu tanh": (lambda x: F.gelu(x, approximate="tanh"), X),
    "threshold": (lambda x: F.threshold(x, 0.3, -1.0), SPECIAL),
    "round to decimals": (lambda x: torch.round(x, decimals=1), X),
    "clamp": (lambda x: x.clamp(-1, 1), SPECIAL),
    "clamp min": (lambda x: x.clamp(min=0.2), SPECIAL),
    "clamp max integers": (lambda x: x.clamp(max=3), DIVIDENDS),
    "abs of integers": (torch.abs, DIVIDENDS),
    "sign of integers": (torch.sign, DIVIDENDS),
    "bitwise not": (torch.bitwise_not, DIVIDENDS),
    "not of booleans": (lambda x: ~x, BOOLS),
    "softmax": (lambda x: F.softmax(x, dim=-1), X),
    "softmax other dimension": (lambda x: x.softmax(1), X),
    "softmax to double": (lambda x: F.softmax(x, dim=0, dtype=torch.float64), X),
    "log softmax": (lambda x: F.log_softmax(x, dim=1), X),
    "logsumexp": (lambda x: x.logsumexp(1), X),
    "softmin": (lambda x: F.softmin(x, dim=1), X),
    "normalize": (lambda x: F.normalize(x, dim=1), X),
    "glu": (lambda x: F.glu(x, dim=2), X),
}

_CASTS: dict[str, tuple[Callable[..., object], torch.Tensor]] = {
    "float to int": (lambda x: x.int(), torch.tensor([1.9, -1.9, 0.5, -0.5, 100.7])),
    "float to long": (lambda x: x.long(), torch.tensor([1.9, -1.9, 1e10])),
    "float to bool": (lambda x: x.bool(), torch.tensor([0.0, -0.0, 0.1, NAN])),
    "float to uint8": (lambda x: x.to(torch.uint8), torch.tensor([0.0, 3.9, 255.0])),
    "int to float": (lambda x: x.float(), DIVIDENDS),
    "int to bool": (lambda x: x.bool(), DIVIDENDS),
    "int to uint8": (lambda x: x.to(torch.uint8), torch.tensor([0, 255, 256, -1])),
    "int to int8": (lambda x: x.to(torch.int8), torch.tensor([0, 127, 128, -129])),
    "bool to float": (lambda x: x.float(), BOOLS),
    "to double": (lambda x: x.double() * 3.7, X),
    "to half and back": (lambda x: x.half().float(), X * 100),
    "half output": (lambda x: x.half(), X),
    "type promotion": (lambda x: x * torch.arange(4), X),
    "integer times float": (lambda x: x * 0.5, DIVIDENDS),
    "integer true division": (lambda x: x / 2, DIVIDENDS),
    "double": (lambda x: x.double().exp().sum(1), X),
}

_REDUCTIONS: dict[str, tuple[Callable[..., object], torch.Tensor]] = {
    "sum": (torch.sum, X),
    "sum over dimension": (lambda x: x.sum(1, keepdim=True), X),
    "sum of integers": (lambda x: x.sum(0), DIVIDENDS),
    "sum of booleans": (lambda x: x.sum(1), BOOLS),
    "sum of int32": (lambda x: x.int().sum(), DIVIDENDS),
    "sum of empty": (lambda x: x.sum(0), EMPTY),
    "mean": (lambda x: x.mean((0, 2)), X),
    "mean of empty": (lambda x: x.mean(0), EMPTY),
    "product": (lambda x: x.prod(1), X),
    "variance": (lambda x: x.var(1), X),
    "deviation": (lambda x: x.std(2, unbiased=False), X),
    "norm": (lambda x: x.norm(dim=1), X),
    "norm of order one": (lambda x: torch.linalg.vector_norm(x, 1, 2), X),
    "maximum with ties": (lambda x: torch.max(x, 1), TIES),
    "minimum with ties": (lambda x: torch.min(x, 1), TIES),
    "maximum with nan": (lambda x: torch.max(x, 1), WITH_NAN),
    "minimum with nan": (lambda x: torch.min(x, 1), WITH_NAN),
    "maximum of all with nan": (torch.max, WITH_NAN),
    "minimum of all with nan": (torch.min, WITH_NAN),
    "amax": (lambda x: x.amax((0, 2)), X),
    "amax with nan": (lambda x: x.amax(1), WITH_NAN),
    "amin": (lambda x: x.amin(1), X),
    "argmax with ties": (lambda x: x.argmax(1), TIES),
    "argmin with ties": (lambda x: x.argmin(1), TIES),
    "argmax with nan": (lambda x: x.argmax(1), WITH_NAN),
    "argmin with nan": (lambda x: x.argmin(1), WITH_NAN),
    "argmax of all": (torch.argmax, TIES),
    "argmax of integers": (lambda x: x.argmax(), DIVIDENDS),
    "any": (lambda x: x.any(1), BOOLS),
    "all": (lambda x: x.all(), BOOLS),
    "any of floats": (lambda x: x.any(0), SPECIAL),
    "all of empty": (lambda x: (x > 0).all(), EMPTY),
    "any of empty": (lambda x: (x > 0).any(), EMPTY),
    "count nonzero": (lambda x: x.count_nonzero(1), TIES),
    "cumulative sum": (lambda x: x.cumsum(1), X),
    "cumulative sum of integers": (lambda x: x.cumsum(0), DIVIDENDS),
    "topk": (lambda x: x.topk(2, 2), X),
    "topk smallest": (lambda x: x.topk(2, 1, largest=False), X),
    "topk with ties": (lambda x: x.topk(3, 1).values, TIES),
    "topk with nan": (lambda x: x.topk(2, 1), WITH_NAN),
    "sort": (lambda x: x.sort(2), X),
    "sort descending": (lambda x: x.sort(1, descending=True), X),
    "stable sort with ties": (lambda x: torch.sort(x, dim=1, stable=True), TIES),
    "sort with nan": (lambda x: x.sort(1), WITH_NAN),
    "argsort": (lambda x: x.argsort(-1), X),
}

_SHAPES: dict[str, tuple[Callable[..., object], torch.Tensor]] = {
    "view": (lambda x: x.view(6, -1), X),
    "reshape of transposed": (lambda x: x.transpose(0, 2).reshape(-1), X),
    "flatten": (lambda x: x.flatten(1), X),
    "permute": (lambda x: x.permute(2, 0, 1), X),
    "transpose": (lambda x: x.transpose(0, 2), X),
    "squeeze": (lambda x: x.unsqueeze(0).squeeze(), X),
    "expand": (lambda x: x.unsqueeze(1).expand(2, 5, 3, 4), X),
    "repeat": (lambda x: x.repeat(2, 1, 3), X),
    "repeat interleave": (lambda x: x.repeat_interleave(2, 1), X),
    "chunk": (lambda x: x.chunk(2, 2), X),
    "split": (lambda x: x.split([1, 3], 2), X),
    "unbind": (lambda x: x.unbind(1), X),
    "stack": (lambda x: torch.stack([x, x + 1], 1), X),
    "concatenation": (lambda x: torch.cat([x, x * 2], -1), X),
    "concatenation with empty": (lambda x: torch.cat([x[:0], x]), X),
    "narrow": (lambda x: x.narrow(2, 1, 2), X),
    "slice with step": (lambda x: x[:, ::2, 1:], X),
    "slice past the end": (lambda x: x[:, 1:99], X),
    "negative index": (lambda x: x[-1, :, -2], X),
    "new axis": (lambda x: x[:, None, ..., 0], X),
    "index by list": (lambda x: x[:, [2, 0]], X),
    "index by tensors": (lambda x: x[torch.tensor([0, 1]), torch.tensor([2, 0])], X),
    "index by separated tensors": (lambda x: x[torch.tensor([0, 1]), :, torch.tensor([3, 0])], X),
    "flip": (lambda x: x.flip(0, 2), X),
    "roll": (lambda x: x.roll(1, 2), X),
    "roll flat": (lambda x: x.roll(5), X),
    "tril": (torch.tril, SQUARE),
    "triu": (lambda x: x.triu(1), SQUARE),
    "diagonal": (lambda x: x.diagonal(dim1=1, dim2=2), SQUARE),
    "unfold": (lambda x: x.unfold(2, 2, 1), X),
    "movedim": (lambda x: x.movedim(0, 2), X),
    "contiguous": (lambda x: x.transpose(0, 1).contiguous(), X),
    "pixel shuffle": (lambda x: F.pixel_shuffle(x, 2), IMAGE),
    "pixel unshuffle": (lambda x: F.pixel_unshuffle(x[..., :8, :6], 2), IMAGE),
    "pad": (lambda x: F.pad(x, (1, 2, 0, 1), value=3.0), X),
    "negative pad": (lambda x: F.pad(x, (-1, 1)), X),
    "reflect pad": (lambda x: F.pad(x, (1, 2), mode="reflect"), X),
    "replicate pad": (lambda x: F.pad(x, (1, 2), mode="replicate"), X),
    "circular pad": (lambda x: F.pad(x, (1, 2), mode="circular"), X),
    "image to columns": (lambda x: F.unfold(x, 3, padding=1), IMAGE),
    "in place": (_in_place, X),
    "views of one storage": (_views, X),
    "input returned": (lambda x: (x, x, x + 1), X),
    "empty through": (lambda x: (x * 2, x.sum(), x.shape and torch.relu(x)), EMPTY),
    "scalar tensors": (lambda x: (x.sum(), x.mean() > 0, x.numel() + x[0, 0, 0]), X),
    "ones like": (lambda x: torch.ones_like(x) + torch.zeros(4), X),
    "arange": (lambda x: x + torch.arange(0, 2, 0.5), X),
    "linspace": (lambda x: x + torch.linspace(0, 1, 4), X),
    "full": (lambda x: x + torch.full((4,), 2.5), X),
    "eye": (lambda x: x + torch.eye(4)[:3], X),
    "one hot": (lambda x: F.one_hot(x, 7), TOKENS),
    "meshgrid": (
        lambda x: torch.meshgrid(x, torch.arange(2.0), indexing="ij"),
        torch.arange(3.0),
    ),
    "masked fill": (lambda x: x.masked_fill(x > 0, -INFINITY), X),
    "where": (lambda x: torch.where(x > 0, x, torch.tensor(-1.0)), SPECIAL),
    "fill diagonal by mask": (lambda x: x * (1 - torch.eye(4)), SQUARE),
}

_BINARY: dict[str, tuple[Callable[..., object], torch.Tensor, torch.Tensor]] = {
    "add broadcast": (torch.add, X, X[0, :, :1]),
    "add alpha": (lambda x, y: torch.add(x, y, alpha=2), X, X + 1),
    "subtract": (lambda x, y: 1 - x - y, X, X.exp()),
    "divide by zero": (torch.div, SPECIAL, torch.zeros(11)),
    "floor division": (lambda x, y: x // y, DIVIDENDS, DIVISORS),
    "floor division of floats": (lambda x, y: x // y, DIVIDENDS / 2, DIVISORS.float()),
    "truncated division": (
        lambda x, y: torch.div(x, y, rounding_mode="trunc"),
        DIVIDENDS,
        DIVISORS,
    ),
    "floor rounding of floats": (
        lambda x, y: torch.div(x, y, rounding_mode="floor"),
        DIVIDENDS / 3,
        DIVISORS.float(),
    ),
    "true division of integers": (lambda x, y: x / y, DIVIDENDS, DIVISORS),
    "remainder": (lambda x, y: x % y, DIVIDENDS, DIVISORS),
    "remainder of floats": (lambda x, y: x % y, DIVIDENDS / 2, DIVISORS.float()),
    "fmod": (torch.fmod, DIVIDENDS, DIVISORS),
    "fmod of floats": (torch.fmod, DIVIDENDS / 2, DIVISORS.float()),
    "power": (torch.pow, POSITIVE, X),
    "power of integers": (torch.pow, DIVIDENDS, DIVISORS.abs()),
    "square by power": (lambda x, y: x**2 + y**0.5, X, POSITIVE),
    "atan2": (torch.atan2, X, X.flip(0)),
    "maximum": (torch.maximum, WITH_NAN, WITH_NAN.flip(1)),
    "minimum": (torch.minimum, WITH_NAN, WITH_NAN.flip(1)),
    "maximum of integers": (torch.maximum, DIVIDENDS, DIVISORS),
    "comparison with nan": (
        lambda x, y: (x > y, x >= y, x == y, x != y, x < y),
        WITH_NAN,
        WITH_NAN.flip(1),
    ),
    "comparison of kinds": (lambda x, y: x > y, X[0, 0, :3], torch.tensor([0, 1, -1])),
    "logical": (
        lambda x, y: (x & y, x | y, x ^ y, torch.logical_and(x, y)),
        BOOLS,
        BOOLS.flip(1),
    ),
    "bitwise": (lambda x, y: (x & y, x | y, x ^ y), DIVIDENDS, DIVISORS),
    "lerp": (lambda x, y: torch.lerp(x, y, 0.3), X, X + 1),
    "addcmul": (lambda x, y: torch.addcmul(x, x, y, value=0.5), X, X + 1),
    "where": (lambda x, y: torch.where(x > y, x, y), X, X.flip(0)),
    "integer overflow": (torch.add, torch.tensor([2**63 - 1, -(2**63)]), torch.tensor([1, -1])),
    "int32 overflow": (
        torch.mul,
        torch.tensor([2**30, 7], dtype=torch.int32),
        torch.tensor([4, 3], dtype=torch.int32),
    ),
    "matrix product": (torch.matmul, SQUARE, SQUARE.flip(0)),
    "matrix product broadcast": (torch.matmul, normal(3, 1, 2, 4), normal(2, 4, 5)),
    "matrix times vector": (torch.matmul, SQUARE, normal(4)),
    "inner product": (torch.dot, normal(4), normal(4, seed=1)),
    "matrix product of integers": (torch.matmul, _integers(2, 3), _integers(3, 2)),
    "batched product": (torch.bmm, SQUARE, SQUARE),
    "outer product": (torch.outer, normal(3), normal(4)),
    "einsum": (lambda x, y: torch.einsum("bij,bjk->bik", x, y), SQUARE, SQUARE),
    "einsum with sum": (lambda x, y: torch.einsum("bij,bkj->ik", x, y), SQUARE, SQUARE),
    "cross": (lambda x, y: torch.linalg.cross(x, y), normal(2, 3), normal(2, 3, seed=1)),
    "cosine similarity": (lambda x, y: F.cosine_similarity(x, y, dim=1), X, X + 1),
    "gather": (lambda x, i: x.gather(1, i), normal(2, 7), TOKENS),
    "take along": (lambda x, i: torch.take_along_dim(x, i, 1), normal(2, 7), TOKENS),
    "index select": (lambda x, i: x.index_select(0, i[0]), normal(7, 2), TOKENS),
    "index by input": (lambda x, i: x[i], normal(7, 2), TOKENS),
    "negative indices": (lambda x, i: x[i], normal(7, 2), TOKENS - 7),
    "scatter": (lambda x, i: x.scatter(1, i, 5.0), normal(2, 7), torch.tensor([[1], [3]])),
    "scatter add": (
        lambda x, i: x.scatter_add(1, i, torch.ones(2, 3)),
        normal(2, 7),
        TOKENS,
    ),
    "index add": (
        lambda x, i: x.index_add(0, i[0], torch.ones(3, 2)),
        normal(7, 2),
        TOKENS,
    ),
    "index copy": (lambda x, i: x.index_copy(0, i[0], torch.ones(3, 2)), normal(7, 2), TOKENS),
    "index put": (lambda x, i: x.index_put((i[0],), torch.tensor(3.0)), normal(7, 2), TOKENS),
    "masked scatter by where": (lambda x, m: torch.where(m, x, 0.0), normal(2, 3), BOOLS),
    "embedding": (lambda w, i: F.embedding(i, w), normal(7, 2), TOKENS),
    "attention": (
        lambda x, y: F.scaled_dot_product_attention(x, y, y),
        normal(1, 2, 3, 4),
        normal(1, 2, 5, 4),
    ),
    "causal attention": (
        lambda x, y: F.scaled_dot_product_attention(x, y, y, is_causal=True),
        normal(1, 2, 3, 4),
        normal(1, 2, 3, 4),
    ),
    "attention with mask": (
        lambda x, m: F.scaled_dot_product_attention(x, x, x, attn_mask=m),
        normal(1, 2, 3, 4),
        torch.tensor([[True, False, True], [True, True, False], [True, True, True]]),
    ),
    "grid sample": (
        lambda x, g: F.grid_sample(x, g, align_corners=False),
        IMAGE,
        normal(2, 5, 5, 2).tanh(),
    ),
    "cross entropy": (lambda x, t: F.cross_entropy(x, t), normal(2, 7), TOKENS[:, 0]),
    "mean squared error": (F.mse_loss, X, X + 1),
}


def _cases_with_inputs(table: Mapping[str, tuple[Any, ...]]) -> Cases:
    return tuple(
        OperatorCase(name=name, function=function, inputs=inputs)
        for name, (function, *inputs) in table.items()
    )


TABLES: Mapping[str, Cases] = {
    "unary": _cases_with_inputs(_UNARY),
    "casts": _cases_with_inputs(_CASTS),
    "reductions": _cases_with_inputs(_REDUCTIONS),
    "shapes": _cases_with_inputs(_SHAPES),
    "binary": _cases_with_inputs(_BINARY),
}
