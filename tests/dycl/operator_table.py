"""Operators that models use, each with inputs on which compiled code could differ.

The inputs are chosen to be unkind: negative numbers, ties, NaN, infinities, empty tensors,
sizes that do not divide.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F

from tests.dycl.binary_operators import BINARY
from tests.dycl.operator_operands import (
    BOOLS,
    DIVIDENDS,
    EMPTY,
    LONG,
    NAN,
    POSITIVE,
    SPECIAL,
    TIES,
    WITH_NAN,
    X,
)
from tests.dycl.shape_operators import SHAPES


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorCase:
    """A function of tensors and the inputs to try it on."""

    name: str
    function: Callable[..., object]
    inputs: Sequence[torch.Tensor]


Cases = tuple[OperatorCase, ...]


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
    "clamp by an integer and a float": (
        lambda x: (
            x.clamp(0, 1.0),
            x.clamp(-0.5, 2),
            x.half().clamp(0, 1.0),
            x.double().clamp(0, 1.0),
        ),
        SPECIAL,
    ),
    "clamp of integers by an integer and a float": (lambda x: x.clamp(0, 1.5), DIVIDENDS),
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
    "two of topk in any order": (lambda x: x.topk(2, 1, largest=False, sorted=False), X),
    "few of topk in any order": (
        lambda x: x.topk(40, sorted=False),
        torch.linspace(-1, 5, 3000).sin(),
    ),
    "topk with ties": (lambda x: x.topk(3, 1).values, TIES),
    "topk of a long row": (lambda x: x.topk(5, 1), LONG),
    "topk of a long row with ties and nan": (
        lambda x: x.topk(4, 0, largest=False).values,
        torch.cat([torch.ones(3000), torch.tensor([float("nan"), 0.0, 0.0])]),
    ),
    "topk of nan": (lambda x: x.topk(4).values, torch.full((3000,), float("nan"))),
    "topk with nan": (lambda x: x.topk(2, 1), WITH_NAN),
    "sort": (lambda x: x.sort(2), X),
    "sort descending": (lambda x: x.sort(1, descending=True), X),
    "stable sort with ties": (lambda x: torch.sort(x, dim=1, stable=True), TIES),
    "sort with nan": (lambda x: x.sort(1), WITH_NAN),
    "argsort": (lambda x: x.argsort(-1), X),
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
    "shapes": _cases_with_inputs(SHAPES),
    "binary": _cases_with_inputs(BINARY),
}
