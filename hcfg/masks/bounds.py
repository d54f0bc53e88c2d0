"""How large the results of layers can get, by the weights: a limit on what they read.

Each rule bounds the magnitude of a result by those of the operands. What has no rule, what is
given something without a bound, and what comes near the largest number of its type has none.
"""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

import torch

from hcfg.masks.contents import SELECTING, Contents
from hcfg.masks.values import MIXED, Operation, Trace, Value

_RESERVE = 2.0**-32
"""How far results stay below the largest number: PyTorch's faster ways to convolve transform
tiles of their operands, which gets larger than the result."""
_MOST_TERMS = 1 << 22
"""Of more terms, rounding could exceed the bound of a sum by more than it is doubled."""
_LEAST_LIMIT = 2.0**10
"""Where layers may read no more than that, they had better run."""


@dataclass(slots=True, kw_only=True)
class Bounds:
    """Bounds of the values in some layers, while what they read is at most ``limit``."""

    limit: float
    read: Collection[Value]
    """What comes from outside of the layers and is compared with the limit."""
    few: Mapping[Value, Contents]
    known: dict[Value, float] = field(default_factory=dict)

    def of(self, argument: object) -> float:
        """Return the bound of an operand: infinite where there is none."""
        match argument:
            case Value() if argument in self.few:
                return max(self.few[argument])
            case Value() if argument.content is not None:
                return _largest(argument.content)
            case Value() if argument in self.known:
                return self.known[argument]
            case Value():
                return self._of_what_is_read(argument)
            case bool() | int() | float():
                return abs(float(argument))
            case list():
                return max(map(self.of, argument), default=0.0)
            case None:
                return 0.0
            case _:  # no number
                return math.inf

    def _of_what_is_read(self, value: Value) -> float:
        if not value.dtype.is_floating_point:
            return 2.0**63 if not value.dtype.is_complex else math.inf
        return self.limit if value in self.read else math.inf

    def add(self, operation: Operation) -> None:
        """Find the bound of an operation's result."""
        rule = _RULES.get(operation.name)
        finite = all(math.isfinite(self.of(operand)) for operand in operation.operands)
        for result in operation.results:
            self.known[result] = math.inf
        if rule is not None and finite and operation.results:
            result, bound = operation.results[0], 2 * rule(operation, self.of)
            self.known[result] = bound if bound <= _most(result.dtype) else math.inf


def _most(dtype: torch.dtype) -> float:
    if dtype.is_complex:
        return 0.0
    return torch.finfo(dtype).max * _RESERVE if dtype.is_floating_point else 2.0**63


def _largest(content: torch.Tensor) -> float:
    if content.is_complex() or not content.numel():
        return math.inf if content.is_complex() else 0.0
    largest = float(content.detach().abs().max().double())
    return largest if math.isfinite(largest) else math.inf


def has_rule(operation: Operation) -> bool:
    """Return whether an operation is known to do nothing but compute, with a bound."""
    return operation.name in _RULES


def limit_of(
    trace: Trace,
    layers: Collection[int],
    result: Value,
    read: Collection[Value],
    few: Mapping[Value, Contents],
) -> float | None:
    """Return up to which magnitude of what they read some layers give finite numbers.

    None where they need not.
    """
    operations = [each for each in trace.operations if each.statement in layers]
    limit = torch.finfo(result.dtype).max * _RESERVE
    limit = 2.0 ** math.floor(math.log2(limit))
    while limit >= _LEAST_LIMIT:
        bounds = Bounds(limit=limit, read=read, few=few)
        for operation in operations:
            bounds.add(operation)
        if math.isfinite(bounds.of(result)):
            return limit
        limit /= 16.0
    return None


Of = Callable[[object], float]
Rule = Callable[[Operation, Of], float]


def _same(operation: Operation, of: Of) -> float:
    return max((of(operand) for operand in operation.operands), default=0.0)


def _one(operation: Operation, of: Of) -> float:
    return 1.0


def _sum(operation: Operation, of: Of) -> float:
    given = operation.arguments
    return of(given["self"]) * max(1.0, of(given.get("alpha"))) + of(given["other"]) * max(
        1.0, of(given.get("alpha"))
    )


def _product(operation: Operation, of: Of) -> float:
    return of(operation.arguments["self"]) * of(operation.arguments["other"])


def _quotient(operation: Operation, of: Of) -> float:
    by = operation.arguments["other"]
    if isinstance(by, Value):
        least = 0.0 if by.content is None else float(by.content.detach().abs().min().double())
    else:
        least = of(by)
    rounded = operation.arguments.get("rounding_mode") is not None
    return math.inf if rounded or not least > 0 else of(operation.arguments["self"]) / least


def _clamped(operation: Operation, of: Of) -> float:
    return max(of(each) for each in operation.arguments.values())


def _terms(count: int) -> float:
    return float(count) if count <= _MOST_TERMS else math.inf


def _rows(weight: object, across: int, of: Of) -> float:
    """Return the largest sum of magnitudes of what one result is multiplied with."""
    assert isinstance(weight, Value)
    if not weight.shape or 0 in weight.shape:
        return 0.0
    count = math.prod(weight.shape) // weight.shape[across]
    if weight.content is not None and _terms(count) < math.inf:
        others = [place for place in range(len(weight.shape)) if place != across]
        sums = weight.content.detach().double().abs()
        return _largest(sums.sum(others) if others else sums)
    return _terms(count) * of(weight)


def _convolution(operation: Operation, of: Of) -> float:
    given = operation.arguments
    across = 1 if given["transposed"] else 0
    return of(given["input"]) * _rows(given["weight"], across, of) + of(given["bias"])


def _matrices(left: str, right: str, bias: str = "") -> Rule:
    def rule(operation: Operation, of: Of) -> float:
        given = operation.arguments
        if any(given.get(factor, 1) != 1 for factor in ("alpha", "beta")):
            return math.inf
        matrix = given[right]
        assert isinstance(matrix, Value)
        if len(matrix.shape) == 2:
            product = of(given[left]) * _rows(matrix, 1, of)
        else:
            product = of(given[left]) * of(matrix) * _terms(matrix.shape[-2])
        return product + (of(given[bias]) if bias else 0.0)

    return rule


def _batch_norm(operation: Operation, of: Of) -> float:
    given = operation.arguments
    mean, variance = given.get("running_mean"), given.get("running_var")
    if given.get("training", False) or not isinstance(mean, Value):
        return math.inf
    if not isinstance(variance, Value) or variance.content is None:
        return math.inf
    spread = (variance.content.detach().double() + of(given["eps"])).rsqrt()
    weight = given.get("weight")
    scale = _largest(spread) * (1.0 if weight is None else of(weight))
    return (of(given["input"]) + of(mean)) * scale + of(given["bias"])


def _added_up(operation: Operation, of: Of) -> float:
    operand = operation.arguments["self"]
    assert isinstance(operand, Value)
    return of(operand) * _terms(math.prod(operand.shape))


def _average(operation: Operation, of: Of) -> float:
    """Return the bound of an average: its sum must have one as well."""
    whole = operation.arguments.get("divisor_override") is None
    return _added_up(operation, of) if whole and 0 not in operation.operands[0].shape else math.inf


def _largest_of_window(operation: Operation, of: Of) -> float:
    dilation = operation.arguments["dilation"]
    plain = dilation == 1 or (isinstance(dilation, list) and all(each == 1 for each in dilation))
    return _same(operation, of) if plain else math.inf


def _padded(operation: Operation, of: Of) -> float:
    return max(of(operation.arguments["self"]), of(operation.arguments["value"]))


def _chosen(operation: Operation, of: Of) -> float:
    return max(of(operation.arguments["self"]), of(operation.arguments["other"]))


_RULES: Mapping[str, Rule] = {
    **dict.fromkeys(SELECTING, _same),
    **dict.fromkeys(
        ("relu", "gelu", "silu", "hardswish", "abs", "neg", "maximum", "minimum",
         "cat", "stack", "pixel_shuffle", "channel_shuffle", "upsample_nearest2d", "copy", MIXED),
        _same,
    ),
    **dict.fromkeys(("sigmoid", "tanh", "hardsigmoid", "_softmax"), _one),
    **dict.fromkeys(("gt", "ge", "lt", "le", "eq", "ne"), _one),
    **dict.fromkeys(("add", "sub", "rsub"), _sum),
    "mul": _product,
    "leaky_relu": lambda operation, of: _same(operation, of)
    * max(1.0, of(operation.arguments["negative_slope"])),
    "div": _quotient,
    **dict.fromkeys(("clamp", "hardtanh"), _clamped),
    "convolution": _convolution,
    "mm": _matrices("self", "mat2"),
    "bmm": _matrices("self", "mat2"),
    "addmm": _matrices("mat1", "mat2", "self"),
    "baddbmm": _matrices("batch1", "batch2", "self"),
    "native_batch_norm": _batch_norm,
    "_native_batch_norm_legit_no_training": _batch_norm,
    **dict.fromkeys(("avg_pool1d", "avg_pool2d", "_adaptive_avg_pool2d", "mean"), _average),
    "max_pool2d_with_indices": _largest_of_window,
    "sum": _added_up,
    "constant_pad_nd": _padded,
    "where": _chosen,
}  # fmt: skip
